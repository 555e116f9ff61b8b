import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { EventRow } from "#plugins/market-index/event/EventRow.ts";
import { positionOf } from "#plugins/market-index/event/positionOf.ts";
import { PROVIDER_LOG_INDEX } from "#plugins/market-index/event/providerPlace.ts";
import type { CollectionChange } from "#plugins/market-index/rollup/CollectionChange.ts";

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

/**
 * Until all events are seen, the last ones are kept as they are: only their positions are computed.
 */
type Sum = {
	change: CollectionChange;
	lastMint: CountedEvent | null;
	lastSale: CountedEvent | null;
};

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

function addSale(sum: Sum, event: CountedEvent): void {
	sum.change.sales++;
	if (event.totalNative !== null) sum.change.volume += event.totalNative;
	if (sum.lastSale === null || isLater(event, sum.lastSale)) sum.lastSale = event;
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
