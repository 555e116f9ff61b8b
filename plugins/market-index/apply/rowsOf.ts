import type { Chain } from "#core/chain/Chain.ts";
import type { Address } from "#core/chain/Hex.ts";
import { assert } from "#core/fault/assert.ts";
import type { NewEvent, NewEvents } from "#plugins/market-index/contract.ts";
import type { EventRow } from "#plugins/market-index/event/EventRow.ts";
import type { KnownCollection } from "#plugins/market-index/event/KnownCollection.ts";
import { storablePayload } from "#plugins/market-index/payload/storablePayload.ts";
import { nativeTotal } from "#plugins/market-index/rollup/nativeTotal.ts";
import type { Prices } from "#plugins/prices/contract.ts";

const UINT256_END = 2n ** 256n;

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
		totalNative: nativeTotal(chain, event, prices),
	};
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
