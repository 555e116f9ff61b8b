// Sums events up: into buckets of sales, and into changes of a collection's own row.

import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import {
	type EventRow,
	PROVIDER_LOG_INDEX,
	positionOf,
} from "#plugins/market-index/event/MarketEvent.ts";
import { bucketOf, TIERS } from "#plugins/market-index/rollup/windows.ts";

/** Holds what one batch adds to a collection's own figures. */
export type CollectionChange = {
	collectionId: number;
	mints: number;
	mintedUnits: bigint;
	firstMintAtMs: number | null;
	/** The latest time; on a chain whose clock goes back that may not be the last mint's. */
	lastMintAtMs: number | null;
	lastMint: {
		position: bigint;
		totalRaw: bigint | null;
		quantity: bigint;
		/** Null for the chain's coin. */
		currency: Address | null;
	} | null;
	sales: number;
	volume: bigint;
	firstSaleAtMs: number | null;
	lastSale: {
		atMs: number;
		position: bigint;
		tokenId: bigint;
		unitNative: bigint | null;
		transactionHash: Hex;
	} | null;
};

/** Holds one collection's trades in one bucket. Prices are wei for one unit. */
export type Rollup = {
	collectionId: number;
	bucketMs: number;
	sales: number;
	/** Counts sales whose price in ETH is known. */
	priced: number;
	/** Units in the priced sales. */
	units: bigint;
	volume: bigint;
	mints: number;
	/** Null while no sale has a price. */
	prices: RollupPrices | null;
};

export type RollupPrices = {
	open: bigint;
	high: bigint;
	low: bigint;
	close: bigint;
	openPosition: bigint;
	closePosition: bigint;
};

/** The part of an event that its collection counts. */
export type CountedEvent = Pick<
	EventRow,
	| "kind"
	| "accepted"
	| "collectionId"
	| "blockNumber"
	| "logIndex"
	| "subIndex"
	| "occurredAtMs"
	| "transactionHash"
	| "tokenId"
	| "quantity"
	| "currency"
	| "totalRaw"
	| "totalNative"
>;

/**
 * Holds a sum under way: the last events are kept whole until all are seen, and only their
 * positions are computed.
 */
type Sum = {
	change: CollectionChange;
	lastMint: CountedEvent | null;
	lastSale: CountedEvent | null;
};

/** Sums up what events change in their collections' own rows. Only accepted ones count. */
export function collectionChanges(events: readonly CountedEvent[]): CollectionChange[] {
	const sums = new Map<number, Sum>();
	let last: Sum | undefined;
	for (const event of events) {
		if (!event.accepted || event.kind === "transfer") continue;
		if (last?.change.collectionId !== event.collectionId) {
			last = sums.get(event.collectionId) ?? openSum(event.collectionId);
			sums.set(event.collectionId, last);
		}
		if (event.kind === "mint") addMint(last, event);
		else addSale(last, event);
	}
	return [...sums.values()].map(close);
}

/** Sums up events into the finest buckets. Only accepted sales and mints count. */
export function sumRollups(events: readonly CountedEvent[]): Rollup[] {
	const rollups = createRollups();
	for (const event of events) {
		if (!event.accepted || event.kind === "transfer") continue;
		const bucketMs = bucketOf(event.occurredAtMs, TIERS[0].ms);
		const rollup = rollups.open(event.collectionId, bucketMs);
		if (event.kind === "mint") rollup.mints++;
		else addSaleToBucket(rollup, event);
	}
	return rollups.all;
}

/** Returns the same figures in coarser buckets. */
export function coarsen(fine: readonly Rollup[], coarseMs: number): Rollup[] {
	const rollups = createRollups();
	for (const part of fine) {
		const bucketMs = bucketOf(part.bucketMs, coarseMs);
		const rollup = rollups.open(part.collectionId, bucketMs);
		rollup.sales += part.sales;
		rollup.priced += part.priced;
		rollup.units += part.units;
		rollup.volume += part.volume;
		rollup.mints += part.mints;
		rollup.prices = mergePrices(rollup.prices, part.prices);
	}
	return rollups.all;
}

/**
 * Merges prices; commutative and associative: the earliest position opens and the latest closes, in
 * any order. Of two with one position the lower opens and the higher closes, as in the rollups'
 * upsert.
 */
export function mergePrices(a: RollupPrices | null, b: RollupPrices | null): RollupPrices | null {
	if (a === null || b === null) return a ?? b;
	const opens = compare(a.openPosition, b.openPosition) || compare(a.open, b.open);
	const closes = compare(a.closePosition, b.closePosition) || compare(a.close, b.close);
	const first = opens <= 0 ? a : b;
	const last = closes >= 0 ? a : b;
	return {
		open: first.open,
		high: compare(a.high, b.high) >= 0 ? a.high : b.high,
		low: compare(a.low, b.low) <= 0 ? a.low : b.low,
		close: last.close,
		openPosition: first.openPosition,
		closePosition: last.closePosition,
	};
}

function openSum(collectionId: number): Sum {
	const change: CollectionChange = {
		collectionId,
		mints: 0,
		mintedUnits: 0n,
		firstMintAtMs: null,
		lastMintAtMs: null,
		lastMint: null,
		sales: 0,
		volume: 0n,
		firstSaleAtMs: null,
		lastSale: null,
	};
	return { change, lastMint: null, lastSale: null };
}

function addMint(sum: Sum, event: CountedEvent): void {
	const { change } = sum;
	const atMs = event.occurredAtMs;
	change.mints++;
	change.mintedUnits += event.quantity;
	change.firstMintAtMs = Math.min(change.firstMintAtMs ?? atMs, atMs);
	change.lastMintAtMs = Math.max(change.lastMintAtMs ?? atMs, atMs);
	if (sum.lastMint === null || isLater(event, sum.lastMint)) sum.lastMint = event;
}

/**
 * Says whether an event is later, as `positionOf` orders them: of two with one position the first
 * stays.
 */
function isLater(a: CountedEvent, b: CountedEvent): boolean {
	if (a.blockNumber !== b.blockNumber) return a.blockNumber > b.blockNumber;
	const isPlain = a.logIndex < PROVIDER_LOG_INDEX && b.logIndex < PROVIDER_LOG_INDEX;
	if (isPlain && a.logIndex !== b.logIndex) return a.logIndex > b.logIndex;
	return positionOf(a) > positionOf(b);
}

function addSale(sum: Sum, event: CountedEvent): void {
	const { change, lastSale } = sum;
	change.sales++;
	change.firstSaleAtMs = Math.min(change.firstSaleAtMs ?? event.occurredAtMs, event.occurredAtMs);
	if (event.totalNative !== null) change.volume += event.totalNative;
	if (lastSale === null || isLater(event, lastSale)) sum.lastSale = event;
}

function close({ change, lastMint, lastSale }: Sum): CollectionChange {
	if (lastMint) {
		const { totalRaw, quantity } = lastMint;
		const currency = lastMint.currency === ZERO_ADDRESS ? null : lastMint.currency;
		change.lastMint = { position: positionOf(lastMint), totalRaw, quantity, currency };
	}
	if (lastSale) {
		const { occurredAtMs: atMs, tokenId, totalNative, quantity, transactionHash } = lastSale;
		const unitNative = totalNative === null ? null : totalNative / quantity;
		const position = positionOf(lastSale);
		change.lastSale = { atMs, position, tokenId, unitNative, transactionHash };
	}
	return change;
}

/**
 * Makes a table of rollups by collection and bucket, in the order of creation. Neighbouring events
 * mostly share both.
 */
function createRollups() {
	const all: Rollup[] = [];
	const byCollection = new Map<number, Map<number, Rollup>>();
	let last: Rollup | null = null;
	return {
		all,
		open(collectionId: number, bucketMs: number): Rollup {
			if (last?.collectionId === collectionId && last.bucketMs === bucketMs) return last;
			const buckets = byCollection.get(collectionId) ?? new Map<number, Rollup>();
			if (buckets.size === 0) byCollection.set(collectionId, buckets);
			last = buckets.get(bucketMs) ?? newRollup(collectionId, bucketMs);
			if (!buckets.has(bucketMs)) {
				buckets.set(bucketMs, last);
				all.push(last);
			}
			return last;
		},
	};
}

function newRollup(collectionId: number, bucketMs: number): Rollup {
	return {
		collectionId,
		bucketMs,
		sales: 0,
		priced: 0,
		units: 0n,
		volume: 0n,
		mints: 0,
		prices: null,
	};
}

function addSaleToBucket(rollup: Rollup, event: CountedEvent): void {
	rollup.sales++;
	if (event.totalNative === null) return;
	rollup.priced++;
	rollup.units += event.quantity;
	rollup.volume += event.totalNative;
	const unit = event.quantity === 1n ? event.totalNative : event.totalNative / event.quantity;
	const position = positionOf(event);
	const { prices } = rollup;
	if (prices !== null) {
		includePrice(prices, unit, position);
		return;
	}
	const place = { openPosition: position, closePosition: position };
	rollup.prices = { open: unit, high: unit, low: unit, close: unit, ...place };
}

/**
 * Merges as `mergePrices` does, but in place: most of a busy minute's sales change none of its
 * prices.
 */
function includePrice(prices: RollupPrices, unit: bigint, position: bigint): void {
	const opens = compare(position, prices.openPosition) || compare(unit, prices.open);
	if (opens < 0) {
		prices.open = unit;
		prices.openPosition = position;
	}
	const closes = compare(position, prices.closePosition) || compare(unit, prices.close);
	if (closes > 0) {
		prices.close = unit;
		prices.closePosition = position;
	}
	if (unit > prices.high) prices.high = unit;
	if (unit < prices.low) prices.low = unit;
}

function compare(a: bigint, b: bigint): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
