// Reads sales to judge and the flags of sales, and writes flags with their sums by hour.

import type { Queryable, Tx } from "#core/db/Database.ts";
import { HOUR_MS } from "#core/time.ts";
import { EVENT_KIND, type EventPlace } from "#plugins/market-index/event/MarketEvent.ts";
import type { CollectionChange } from "#plugins/market-index/rollup/rollups.ts";
import { AMOUNT_MAX, bucketOf } from "#plugins/market-index/rollup/windows.ts";
import {
	type JudgedSale,
	WASH_REASONS,
	WASH_SALES_MAX,
	WASH_WINDOW_MS,
	type WashFlag,
	type WashReason,
} from "#plugins/market-index/wash/judgeSales.ts";

/** A collection with sales to judge, since when, and the version of its row that said so. */
export type DueCollection = { id: number; from: Date; version: string };

export type SaleToJudge = EventPlace & JudgedSale & { tokenId: string; totalNative: string | null };

/** A stretch of sales that is judged at once; `until` null: to the newest one. */
type Slice = { tokenIds: string[]; until: Date | null };

type SaleRow = Omit<SaleToJudge, "occurredAtMs"> & { occurredAt: Date };

type FlagRow = EventPlace & { reason: WashReason };

const SALES = `collection_id = $1 and kind = ${EVENT_KIND.sale} and accepted`;

/** Finds collections with sales to judge, in a stretch of ids: by the primary key, in id order. */
export function readDue(
	db: Queryable,
	{ after, until }: { after: number; until: number },
): Promise<DueCollection[]> {
	return db.query<DueCollection>(
		`select id, wash_from as "from", xmin::text as version from market_index.collection
		where id > $1 and id <= $2 and wash_from is not null order by id`,
		[after, until],
	);
}

/**
 * Reads which tokens sold since a time, and where the stretch of so many sales ends that is judged
 * at once: never between two of one time. By `event_by_collection`.
 */
export async function readSlice(
	db: Queryable,
	{ id, from }: DueCollection,
	salesMax: number,
): Promise<Slice> {
	const sales = await db.query<{ tokenId: string; at: Date }>(
		`select token_id as "tokenId", occurred_at as at from market_index.event
		where ${SALES} and occurred_at >= $2 order by occurred_at limit $3`,
		[id, from, salesMax + 1],
	);
	const beyond = sales[salesMax];
	if (beyond === undefined) return { tokenIds: tokensOf(sales), until: null };
	const isOneTime = sales[0]?.at.getTime() === beyond.at.getTime();
	if (!isOneTime) {
		const own = sales.filter(({ at }) => at < beyond.at);
		return { tokenIds: tokensOf(own), until: beyond.at };
	}
	const until = new Date(beyond.at.getTime() + 1);
	const all = await db.query<{ tokenId: string }>(
		`select distinct token_id as "tokenId" from market_index.event
		where ${SALES} and occurred_at >= $2 and occurred_at < $3`,
		[id, from, until],
	);
	return { tokenIds: tokensOf(all), until };
}

/**
 * Reads the sales of some tokens in a stretch, and of each the last thousand of the week before it,
 * in the order of the chain. By `event_by_collection`.
 */
export async function readSalesToJudge(
	db: Queryable,
	{ id, from }: DueCollection,
	{ tokenIds, until }: Slice,
): Promise<SaleToJudge[]> {
	if (tokenIds.length === 0) return [];
	const place = "occurred_at, block_number, log_index, sub_index";
	const rows = await db.query<SaleRow>(
		`select occurred_at as "occurredAt", block_number as "blockNumber", log_index as "logIndex",
			sub_index as "subIndex", token_id as "tokenId", total_native as "totalNative",
			'0x' || encode(from_address, 'hex') as "from", '0x' || encode(to_address, 'hex') as "to"
		from (
			select ${place}, token_id, total_native, from_address, to_address, row_number() over (
				partition by token_id, occurred_at < $3
				order by occurred_at desc, block_number desc, log_index desc, sub_index desc
			) as back
			from market_index.event
			where ${SALES} and token_id = any($2::numeric[])
				and occurred_at >= $3::timestamptz - $5 * interval '1 millisecond'
				and occurred_at < coalesce($4::timestamptz, 'infinity')
		) as sale
		where occurred_at >= $3 or back <= $6
		order by ${place}`,
		[id, tokenIds, from, until, WASH_WINDOW_MS, WASH_SALES_MAX],
	);
	return rows.map(({ occurredAt, ...sale }) => ({ ...sale, occurredAtMs: occurredAt.getTime() }));
}

/**
 * Writes what was found of a stretch, with the sums of its hours, and notes how far the collection
 * is judged. Returns false, and writes nothing, where the collection changed since it was read.
 *
 * Whoever stores or takes back sales updates the collection's row in the same transaction: with
 * that row held, and its version the same, the sales that were read are those that are stored.
 */
export async function writeFlags(
	tx: Tx,
	due: DueCollection,
	given: { until: Date | null; flags: readonly WashFlag<SaleToJudge>[] },
): Promise<boolean> {
	const { id, from, version } = due;
	const held = await tx.query(
		`select from market_index.collection where id = $1 and xmin::text = $2 for no key update`,
		[id, version],
	);
	if (held.length === 0) return false;
	const gone = await tx.query<{ at: Date }>(
		`delete from market_index.wash_sale as flag
		using (select $2::timestamptz as since, coalesce($3::timestamptz, 'infinity') as until) as span
		where collection_id = $1 and completed_at >= span.since and completed_at < span.until
		returning occurred_at as at`,
		[id, from, given.until],
	);
	const { flags } = given;
	if (flags.length > 0) await insertFlags(tx, id, flags);
	await sumHours(tx, [
		...gone.map(({ at }) => ({ id, atMs: at.getTime() })),
		...flags.map(({ sale }) => ({ id, atMs: sale.occurredAtMs })),
	]);
	await tx.execute("update market_index.collection set wash_from = $2 where id = $1", [
		id,
		given.until,
	]);
	return true;
}

/**
 * Removes the flags of circles that may have lost a sale: those that closed when the first removed
 * sale was made, or later. `wash_from` of their collections is set back already, so they are judged
 * again. By `wash_sale_completed`, in the transaction that removed the sales.
 */
export async function takeBackFlags(
	tx: Tx,
	changes: readonly Pick<CollectionChange, "collectionId" | "firstSaleAtMs">[],
): Promise<void> {
	const sold = changes.flatMap(({ collectionId: id, firstSaleAtMs: atMs }) =>
		atMs === null ? [] : [{ id, at: new Date(atMs) }],
	);
	if (sold.length === 0) return;
	const gone = await tx.query<{ id: number; at: Date }>(
		`delete from market_index.wash_sale as flag
		using unnest($1::int4[], $2::timestamptz[]) as given (id, at)
		where flag.collection_id = given.id and flag.completed_at >= given.at
		returning flag.collection_id as id, flag.occurred_at as at`,
		[sold.map(({ id }) => id), sold.map(({ at }) => at)],
	);
	await sumHours(
		tx,
		gone.map(({ id, at }) => ({ id, atMs: at.getTime() })),
	);
}

/** Reads the flags of a collection's sales of these times, by the primary key. */
export async function readFlags(
	db: Queryable,
	collectionId: number,
	times: readonly number[],
): Promise<FlagRow[]> {
	if (times.length === 0) return [];
	const rows = await db.query<
		Omit<FlagRow, "occurredAtMs" | "reason"> & { occurredAt: Date; reason: number }
	>(
		`select occurred_at as "occurredAt", block_number as "blockNumber", log_index as "logIndex",
			sub_index as "subIndex", reason
		from market_index.wash_sale where collection_id = $1 and occurred_at = any($2::timestamptz[])`,
		[collectionId, [...new Set(times)].map((atMs) => new Date(atMs))],
	);
	return rows.map(({ occurredAt, reason, ...place }) => ({
		...place,
		occurredAtMs: occurredAt.getTime(),
		reason: WASH_REASONS[reason - 1] ?? "round_trip",
	}));
}

/**
 * Sums up the flagged sales of collections since a whole minute: hours, and the part of one at the
 * edge sale by sale. By primary keys.
 */
export async function readWashSums(
	db: Queryable,
	collectionIds: readonly number[],
	since: Date,
): Promise<ReadonlyMap<number, { sales: number; volume: bigint }>> {
	if (collectionIds.length === 0) return new Map();
	const hours = new Date(Math.ceil(since.getTime() / HOUR_MS) * HOUR_MS);
	const rows = await db.query<{ id: number; sales: number; volume: string }>(
		`select given.id, sums.sales, sums.volume
		from unnest($1::int4[]) as given (id) cross join lateral (
			select coalesce(sum(sales), 0)::int8 as sales, coalesce(sum(volume), 0) as volume from (
				select sales, volume from market_index.wash_hour
				where collection_id = given.id and bucket >= $3 and bucket < 'infinity'
				union all
				select 1, total_native from market_index.wash_sale
				where collection_id = given.id and occurred_at >= $2 and occurred_at < $3
			) as part
		) as sums`,
		[collectionIds, since, hours],
	);
	return new Map(rows.map(({ id, sales, volume }) => [id, { sales, volume: BigInt(volume) }]));
}

/** Deletes a few flags of sales whose events the retention has dropped; their hours stay. */
export function pruneFlags(
	db: Queryable,
	{ keptMs, limit }: { keptMs: number; limit: number },
): Promise<number> {
	return db.execute(
		`delete from market_index.wash_sale where ctid = any(array(
			select ctid from market_index.wash_sale
			where occurred_at < now() - $1 * interval '1 millisecond' limit $2
		))`,
		[keptMs, limit],
	);
}

/** Inserts flags; a sale that an earlier circle flagged already keeps that one. */
async function insertFlags(
	tx: Tx,
	collectionId: number,
	flags: readonly WashFlag<SaleToJudge>[],
): Promise<void> {
	await tx.execute(
		`insert into market_index.wash_sale as kept (collection_id, occurred_at, block_number,
			log_index, sub_index, reason, completed_at, total_native)
		select $1, * from unnest($2::timestamptz[], $3::int8[], $4::int4[], $5::int4[], $6::int2[],
			$7::timestamptz[], $8::numeric[])
		on conflict (collection_id, occurred_at, block_number, log_index, sub_index) do update set
			reason = excluded.reason, completed_at = excluded.completed_at,
			total_native = excluded.total_native
		where excluded.completed_at < kept.completed_at`,
		[
			collectionId,
			flags.map(({ sale }) => new Date(sale.occurredAtMs)),
			flags.map(({ sale }) => sale.blockNumber),
			flags.map(({ sale }) => sale.logIndex),
			flags.map(({ sale }) => sale.subIndex),
			flags.map(({ reason }) => WASH_REASONS.indexOf(reason) + 1),
			flags.map(({ completedAtMs }) => new Date(completedAtMs)),
			flags.map(({ sale }) => sale.totalNative),
		],
	);
}

/** Sums up the flags of these hours anew. Two statements: one cannot delete and insert a key. */
async function sumHours(tx: Tx, touched: readonly { id: number; atMs: number }[]): Promise<void> {
	const hours = new Map(
		touched.map(({ id, atMs }) => {
			const bucketMs = bucketOf(atMs, HOUR_MS);
			return [`${id}@${bucketMs}`, { id, bucket: new Date(bucketMs) }];
		}),
	);
	if (hours.size === 0) return;
	const keys = [...hours.values()];
	const values = [keys.map(({ id }) => id), keys.map(({ bucket }) => bucket)];
	const given = "unnest($1::int4[], $2::timestamptz[]) as given (id, bucket)";
	await tx.execute(
		`delete from market_index.wash_hour as kept using ${given}
		where kept.collection_id = given.id and kept.bucket = given.bucket`,
		values,
	);
	await tx.execute(
		`insert into market_index.wash_hour (collection_id, bucket, sales, volume)
		select given.id, given.bucket, sums.sales, sums.volume
		from ${given} cross join lateral (
			select count(*)::int4 as sales, least(coalesce(sum(total_native), 0), ${AMOUNT_MAX}) as volume
			from market_index.wash_sale
			where collection_id = given.id and occurred_at >= given.bucket
				and occurred_at < given.bucket + interval '1 hour'
		) as sums
		where sums.sales > 0`,
		values,
	);
}

function tokensOf(sales: readonly { tokenId: string }[]): string[] {
	return [...new Set(sales.map(({ tokenId }) => tokenId))];
}
