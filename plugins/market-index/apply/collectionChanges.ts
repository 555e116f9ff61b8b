import type { EventRow } from "#plugins/market-index/apply/EventRow.ts";
import { positionOf } from "#plugins/market-index/apply/positionOf.ts";
import type { CollectionChange } from "#plugins/market-index/sql/updateCollections.ts";

/** What of an event its collection counts. */
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
	| "totalRaw"
	| "totalNative"
>;

/** Sums up what events change in their collections' own rows. Only accepted ones count. */
export function collectionChanges(events: readonly CountedEvent[]): CollectionChange[] {
	const changes = new Map<number, CollectionChange>();
	for (const event of events) {
		if (!event.accepted || event.kind === "transfer") continue;
		const change = openChange(changes, event.collectionId);
		if (event.kind === "mint") addMint(change, event);
		else addSale(change, event);
	}
	return [...changes.values()];
}

function openChange(changes: Map<number, CollectionChange>, collectionId: number) {
	const known = changes.get(collectionId);
	if (known) return known;
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
	changes.set(collectionId, change);
	return change;
}

function addMint(change: CollectionChange, event: CountedEvent): void {
	const { occurredAtMs: atMs, totalRaw, quantity } = event;
	change.mints++;
	change.mintedUnits += quantity;
	change.firstMintAtMs = Math.min(change.firstMintAtMs ?? atMs, atMs);
	change.lastMintAtMs = Math.max(change.lastMintAtMs ?? atMs, atMs);
	const position = positionOf(event);
	if (change.lastMint && change.lastMint.position >= position) return;
	change.lastMint = { position, totalRaw, quantity };
}

function addSale(change: CollectionChange, event: CountedEvent): void {
	const { occurredAtMs: atMs, tokenId, totalNative, quantity, transactionHash } = event;
	change.sales++;
	change.volume += totalNative ?? 0n;
	const position = positionOf(event);
	if (change.lastSale && change.lastSale.position >= position) return;
	const unitNative = totalNative === null ? null : totalNative / quantity;
	change.lastSale = { atMs, position, tokenId, unitNative, transactionHash };
}
