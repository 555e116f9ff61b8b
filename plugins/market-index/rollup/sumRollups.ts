import { positionOf } from "#plugins/market-index/event/positionOf.ts";
import { bucketOf, TIERS } from "#plugins/market-index/rollup/bucketOf.ts";
import type { CountedEvent } from "#plugins/market-index/rollup/collectionChanges.ts";
import type { Rollup, RollupPrices } from "#plugins/market-index/rollup/Rollup.ts";

/** Sums up events into the finest buckets. Only accepted sales and mints count. */
export function sumRollups(events: readonly CountedEvent[]): Rollup[] {
	const rollups = createRollups();
	for (const event of events) {
		if (!event.accepted || event.kind === "transfer") continue;
		const bucketMs = bucketOf(event.occurredAtMs, TIERS[0].ms);
		const rollup = rollups.open(event.collectionId, bucketMs);
		if (event.kind === "mint") rollup.mints++;
		else addSale(rollup, event);
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

function addSale(rollup: Rollup, event: CountedEvent): void {
	rollup.sales++;
	if (event.totalNative === null) return;
	rollup.priced++;
	rollup.units += event.quantity;
	rollup.volume += event.totalNative;
	const unit = event.quantity === 1n ? event.totalNative : event.totalNative / event.quantity;
	const position = positionOf(event);
	const { prices } = rollup;
	if (prices !== null) {
		include(prices, unit, position);
		return;
	}
	const place = { openPosition: position, closePosition: position };
	rollup.prices = { open: unit, high: unit, low: unit, close: unit, ...place };
}

/**
 * Merges as `mergePrices` does, but in place: most of a busy minute's sales change none of its
 * prices.
 */
function include(prices: RollupPrices, unit: bigint, position: bigint): void {
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

function compare(a: bigint, b: bigint): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
