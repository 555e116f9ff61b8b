import type { Tx } from "#core/db/Database.ts";
import type { EventPlace } from "#plugins/market-index/confirm/Unconfirmed.ts";
import type { TakenBack } from "#plugins/market-index/sql/deleteEventsAbove.ts";
import {
	EVENT_COLUMNS,
	type EventColumns,
	eventOf,
} from "#plugins/market-index/sql/eventColumns.ts";

/**
 * Removes events that the chain itself tells now, in the order of their places, and returns them.
 * By the unique index of events; a few rows of `unconfirmed` by the chain and their transactions.
 */
export async function takeOutUnconfirmed(
	tx: Tx,
	chainId: number,
	places: readonly (EventPlace & { transaction: Buffer })[],
): Promise<TakenBack[]> {
	const at = places.map(({ occurredAtMs }) => new Date(occurredAtMs));
	const blocks = places.map(({ blockNumber }) => blockNumber);
	const logs = places.map(({ logIndex }) => logIndex);
	const subs = places.map(({ subIndex }) => subIndex);
	const [, rows] = await Promise.all([
		tx.execute(
			`delete from market_index.unconfirmed as u
			using unnest($2::bytea[], $3::int4[], $4::int4[]) as given (hash, log, sub)
			where u.chain_id = $1 and u.transaction_hash = given.hash
				and u.log_index = given.log and u.sub_index = given.sub`,
			[chainId, places.map(({ transaction }) => transaction), logs, subs],
		),
		tx.query<EventColumns & { collectionId: number; standard: "erc721" | "erc1155" }>(
			`with gone as (
				delete from market_index.event as e
				using unnest($2::int8[], $3::int4[], $4::int4[], $5::timestamptz[])
					as given (block, log, sub, at)
				where e.chain_id = $1 and e.block_number = given.block and e.log_index = given.log
					and e.sub_index = given.sub and e.occurred_at = given.at and not e.onchain_verified
				returning e.*
			)
			select ${EVENT_COLUMNS}, e.collection_id as "collectionId", c.standard
			from gone as e join market_index.collection as c on c.id = e.collection_id
			order by e.block_number, e.log_index, e.sub_index`,
			[chainId, blocks, logs, subs, at],
		),
	]);
	return rows.map(({ collectionId, standard, ...row }) => ({
		...eventOf(row),
		collectionId,
		standard,
	}));
}
