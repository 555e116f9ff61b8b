// Reads events without a price, and writes prices of events and collections.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { CollectionChange } from "#plugins/market-index/rollup/rollups.ts";
import { AMOUNT_MAX } from "#plugins/market-index/rollup/windows.ts";
import {
	EVENT_COLUMNS,
	type EventColumns,
	eventOf,
	type TakenBack,
} from "#plugins/market-index/sql/events.ts";

/** An event's place, and its payment. */
export type UnpricedEvent = {
	occurredAtMs: number;
	blockNumber: number;
	logIndex: number;
	subIndex: number;
	totalRaw: bigint;
};

export type PricedEvent = Omit<TakenBack, "standard">;

type UnpricedQuery = {
	chainId: number;
	currency: Address;
	fromMs: number;
	toMs: number;
	/** The last one of the part before. */
	after: UnpricedEvent | null;
	limit: number;
};

/**
 * Returns events paid in a currency without a price, newest first, by the index `event_unpriced`.
 */
export async function readUnpriced(db: Queryable, query: UnpricedQuery): Promise<UnpricedEvent[]> {
	const { chainId, currency, fromMs, toMs, after, limit } = query;
	const rows = await db.query<
		Omit<UnpricedEvent, "occurredAtMs" | "totalRaw"> & { occurredAt: Date; totalRaw: string }
	>(
		`select occurred_at as "occurredAt", block_number as "blockNumber", log_index as "logIndex",
			sub_index as "subIndex", total_raw as "totalRaw"
		from market_index.event
		where chain_id = $1 and currency = $2 and total_native is null and total_raw is not null
			and reason is distinct from 'price_unproven'
			and occurred_at >= $3 and occurred_at <= $4
			and (occurred_at, block_number, log_index, sub_index) < ($4, $5::int8, $6::int4, $7::int4)
		order by occurred_at desc, block_number desc, log_index desc, sub_index desc
		limit $8`,
		[
			chainId,
			bytesOf(currency),
			new Date(fromMs),
			new Date(after?.occurredAtMs ?? toMs),
			after?.blockNumber ?? Number.MAX_SAFE_INTEGER,
			after?.logIndex ?? 0,
			after?.subIndex ?? 0,
			limit,
		],
	);
	return rows.map(({ occurredAt, totalRaw, ...place }) => ({
		...place,
		occurredAtMs: occurredAt.getTime(),
		totalRaw: BigInt(totalRaw),
	}));
}

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

/**
 * Adds the new worth of sales to their collections, by primary key; the newest sale is shown with
 * its price. Counts stay: the sales were counted before.
 */
export async function priceCollections(
	tx: Tx,
	changes: readonly CollectionChange[],
): Promise<void> {
	if (changes.length === 0) return;
	await tx.execute(
		`update market_index.collection as kept set
			volume_native = least(kept.volume_native + given.volume, ${AMOUNT_MAX}),
			wash_from = least(kept.wash_from, given.first_sale_at),
			last_sale_unit_native = case
				when kept.last_sale_position = given.position and kept.last_sale_token_id = given.token_id
				then given.unit_native else kept.last_sale_unit_native end
		from unnest($1::int4[], $2::numeric[], $3::int8[], $4::numeric[], $5::numeric[],
			$6::timestamptz[]) as given (id, volume, position, token_id, unit_native, first_sale_at)
		where kept.id = given.id`,
		[
			changes.map(({ collectionId }) => collectionId),
			changes.map(({ volume }) => volume),
			changes.map(({ lastSale }) => lastSale?.position ?? null),
			changes.map(({ lastSale }) => lastSale?.tokenId ?? null),
			changes.map(({ lastSale }) => lastSale?.unitNative ?? null),
			changes.map(({ firstSaleAtMs: ms }) => (ms === null ? null : new Date(ms))),
		],
	);
}
