import type { Tx } from "#core/db/Database.ts";
import type { UnpricedEvent } from "#plugins/market-index/reprice/UnpricedEvent.ts";
import type { TakenBack } from "#plugins/market-index/sql/deleteEventsAbove.ts";
import {
	EVENT_COLUMNS,
	type EventColumns,
	eventOf,
} from "#plugins/market-index/sql/eventColumns.ts";

export type PricedEvent = Omit<TakenBack, "standard">;

/**
 * Gives events their price, by the unique index, and returns those that had none and are unchanged:
 * an event that a fork replaced meanwhile was paid otherwise.
 */
export async function priceEvents(
	tx: Tx,
	chainId: number,
	given: readonly (UnpricedEvent & { totalNative: bigint })[],
): Promise<PricedEvent[]> {
	const rows = await tx.query<EventColumns & { collectionId: number }>(
		`with priced as (
			update market_index.event as kept set total_native = given.total_native
			from unnest(
				$2::timestamptz[], $3::int8[], $4::int4[], $5::int4[], $6::numeric[], $7::numeric[]
			) as given (occurred_at, block_number, log_index, sub_index, total_raw, total_native)
			where kept.chain_id = $1 and kept.occurred_at = given.occurred_at
				and kept.block_number = given.block_number and kept.log_index = given.log_index
				and kept.sub_index = given.sub_index and kept.total_raw = given.total_raw
				and kept.total_native is null
			returning kept.*
		)
		select ${EVENT_COLUMNS}, e.collection_id as "collectionId"
		from priced as e join market_index.collection as c on c.id = e.collection_id`,
		[
			chainId,
			given.map(({ occurredAtMs }) => new Date(occurredAtMs)),
			given.map(({ blockNumber }) => blockNumber),
			given.map(({ logIndex }) => logIndex),
			given.map(({ subIndex }) => subIndex),
			given.map(({ totalRaw }) => totalRaw),
			given.map(({ totalNative }) => totalNative),
		],
	);
	return rows.map(({ collectionId, ...row }) => ({ ...eventOf(row), collectionId }));
}
