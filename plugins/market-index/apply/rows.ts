// Turns a batch of events into the rows that are stored.

import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import type { EventRow, KnownCollection } from "#plugins/market-index/event/MarketEvent.ts";
import type { NewEvent, NewEvents } from "#plugins/market-index/model.ts";
import { storablePayload } from "#plugins/market-index/payload.ts";
import { nativeTotal } from "#plugins/market-index/rollup/windows.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** Collections as last seen: a guess, which the caller must verify. */
export type CollectionMemory = {
	/** Returns these contracts' collections; null where one of them is not remembered. */
	recall(
		chainId: number,
		contracts: Iterable<Address>,
	): ReadonlyMap<Address, KnownCollection> | null;
	keep(chainId: number, met: ReadonlyMap<Address, KnownCollection>): void;
};

/** Collections of live batches that a process remembers: a few megabytes. */
const COLLECTIONS_REMEMBERED_MAX = 10_000;

const UINT256_END = 2n ** 256n;

/**
 * Says whether collections are as they were known, in all that stored rows are made from. Names are
 * not part of it: most come just after a collection's first events.
 */
export function areSameInRows(
	found: readonly KnownCollection[],
	known: ReadonlyMap<Address, KnownCollection>,
): boolean {
	if (found.length !== known.size) return false;
	return found.every((now) => {
		const then = known.get(now.address);
		return then !== undefined && then.id === now.id && then.excluded === now.excluded;
	});
}

/** Makes the memory. When it is full it starts empty: traded collections soon come back. */
export function createCollectionMemory(): CollectionMemory {
	const byPlace = new Map<string, KnownCollection>();
	const placeOf = (chainId: number, address: Address) => `${chainId}:${address}`;
	return {
		recall(chainId, contracts) {
			const known = new Map<Address, KnownCollection>();
			for (const address of contracts) {
				const collection = byPlace.get(placeOf(chainId, address));
				if (!collection) return null;
				known.set(address, collection);
			}
			return known;
		},
		keep(chainId, met) {
			if (byPlace.size + met.size > COLLECTIONS_REMEMBERED_MAX) byPlace.clear();
			if (met.size > COLLECTIONS_REMEMBERED_MAX) return;
			for (const [address, collection] of met) {
				byPlace.set(placeOf(chainId, address), { ...collection, isNew: false });
			}
		},
	};
}

/** Returns a batch as it is stored: with its collections, and with prices at their own time. */
export function rowsOf(
	chain: Chain,
	batch: NewEvents,
	given: { known: ReadonlyMap<Address, KnownCollection>; prices: Pick<Prices, "toNative"> },
): EventRow[] {
	const { known, prices } = given;
	const rows: EventRow[] = [];
	for (const event of batch.events) {
		const collection = known.get(event.contract);
		// If it were skipped silently, such an event would be lost: lanes never read it again.
		assert(collection, `${event.contract} is no contract's address in lower case`);
		if (collection.excluded) continue;
		assertAmounts(event);
		rows.push(rowOf(chain, event, { collection, prices }));
	}
	return rows;
}

/**
 * Locks the syncs of those collections of which the provider has reported nothing. Code that may
 * remove a collection locks its sync's row first, as syncs do, never after the collection's.
 */
export async function lockFirstSyncs(tx: Tx, collectionIds: readonly number[]): Promise<void> {
	await tx.execute(
		`select from market_index.sync as s
		join market_index.collection as c on c.id = s.collection_id and c.last_provider_at is null
		where s.collection_id = any($1::int4[]) order by s.collection_id for update of s`,
		[collectionIds],
	);
}

/** Returns the times of a batch's events, each once. Neighbouring events mostly share theirs. */
export function timesOf(batch: Pick<NewEvents, "events">): Set<number> {
	const times = new Set<number>();
	let last = Number.NaN;
	for (const { occurredAtMs } of batch.events) {
		if (occurredAtMs !== last) times.add(occurredAtMs);
		last = occurredAtMs;
	}
	return times;
}

/**
 * Asserts that an event has at least one unit, by which its price is divided, and that its numbers
 * are `uint256`.
 */
function assertAmounts({ tokenId, quantity, totalRaw }: NewEvent): void {
	assert(quantity > 0n && quantity < UINT256_END, "an event moves at least one unit");
	assert(tokenId >= 0n && tokenId < UINT256_END, "a token id is a uint256");
	assert(totalRaw === null || (totalRaw >= 0n && totalRaw < UINT256_END), "a total is a uint256");
}

/** Makes a row field by field: copying an object of twenty fields takes ten times as long. */
function rowOf(
	chain: Chain,
	event: NewEvent,
	{ collection, prices }: { collection: KnownCollection; prices: Pick<Prices, "toNative"> },
): EventRow {
	const { onchainVerified = true, payload = null } = event;
	return {
		kind: event.kind,
		blockNumber: event.blockNumber,
		blockHash: event.blockHash,
		transactionHash: event.transactionHash,
		logIndex: event.logIndex,
		subIndex: event.subIndex,
		occurredAtMs: event.occurredAtMs,
		contract: event.contract,
		standard: event.standard,
		tokenId: event.tokenId,
		quantity: event.quantity,
		from: event.from,
		to: event.to,
		venue: event.venue,
		currency: event.currency,
		totalRaw: event.totalRaw,
		accepted: event.accepted,
		reason: event.reason,
		onchainVerified,
		payload: storablePayload(payload),
		collectionId: collection.id,
		// What may never have been delivered is in no sum of prices, and is not priced later either.
		totalNative: event.reason === "price_unproven" ? null : nativeTotal(chain, event, prices),
	};
}
