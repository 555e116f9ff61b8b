import type { Tx } from "#core/db/Database.ts";
import { EVENT_KIND } from "#plugins/market-index/event/eventKind.ts";
import { bucketOf, TIERS } from "#plugins/market-index/rollup/bucketOf.ts";
import { AMOUNT_MAX } from "#plugins/market-index/rollup/capAmount.ts";
import { positionSql } from "#plugins/market-index/sql/positionSql.ts";

export type MinuteKey = { collectionId: number; bucketMs: number };

/**
 * Recomputes these minutes from their events, and the hours and days around them from their
 * minutes: the only repair of figures that cannot be subtracted (extremes, first and last, sums at
 * their ceiling). A bucket without events is removed.
 *
 * Events by `event_by_collection` (collection, kind, time), buckets by primary key. Two statements
 * a tier: one statement cannot delete and insert the same key.
 */
export async function recomputeRollups(
	tx: Tx,
	chainId: number,
	minutes: readonly MinuteKey[],
): Promise<void> {
	if (minutes.length === 0) return;
	let keys = distinct(minutes, TIERS[0].ms);
	await replace(tx, { chainId, table: TIERS[0].table, keys, from: FROM_EVENTS });
	for (const [index, tier] of TIERS.entries()) {
		const finer = TIERS[index - 1];
		if (!finer) continue;
		keys = distinct(keys, tier.ms);
		await replace(tx, {
			chainId,
			table: tier.table,
			keys,
			from: fromBuckets(finer.table, tier.ms),
		});
	}
}

function distinct(keys: readonly MinuteKey[], bucketMs: number): MinuteKey[] {
	const known = new Map<string, MinuteKey>();
	for (const { collectionId, bucketMs: atMs } of keys) {
		const key = { collectionId, bucketMs: bucketOf(atMs, bucketMs) };
		known.set(`${collectionId}:${key.bucketMs}`, key);
	}
	return [...known.values()];
}

async function replace(
	tx: Tx,
	made: { chainId: number; table: string; keys: readonly MinuteKey[]; from: string },
): Promise<void> {
	const { chainId, table, keys, from } = made;
	const values = [
		keys.map(({ collectionId }) => collectionId),
		keys.map(({ bucketMs }) => new Date(bucketMs)),
	];
	await tx.execute(
		`delete from market_index.${table} as old
		using unnest($1::int4[], $2::timestamptz[]) as given (collection_id, bucket)
		where old.collection_id = given.collection_id and old.bucket = given.bucket`,
		values,
	);
	await tx.execute(
		`insert into market_index.${table} (
			chain_id, collection_id, bucket, sales, priced, units, volume, mints,
			open, high, low, close, open_position, close_position
		)
		select $3::int8, given.collection_id, given.bucket, fresh.*
		from unnest($1::int4[], $2::timestamptz[]) as given (collection_id, bucket)
		cross join lateral (${from}) as fresh
		where fresh.sales > 0 or fresh.mints > 0`,
		[...values, chainId],
	);
}

const PRICED = `kind = ${EVENT_KIND.sale} and total_native is not null`;

const FROM_EVENTS = `select
		count(*) filter (where kind = ${EVENT_KIND.sale})::int4 as sales,
		count(*) filter (where ${PRICED})::int4 as priced,
		least(coalesce(sum(quantity) filter (where ${PRICED}), 0), ${AMOUNT_MAX}) as units,
		least(coalesce(sum(total_native) filter (where ${PRICED}), 0), ${AMOUNT_MAX}) as volume,
		count(*) filter (where kind = ${EVENT_KIND.mint})::int4 as mints,
		(array_agg(price order by position, price) filter (where ${PRICED}))[1] as open,
		max(price) filter (where ${PRICED}) as high,
		min(price) filter (where ${PRICED}) as low,
		(array_agg(price order by position desc, price desc) filter (where ${PRICED}))[1] as close,
		min(position) filter (where ${PRICED}) as open_position,
		max(position) filter (where ${PRICED}) as close_position
	from (
		select kind, quantity, total_native, div(total_native, quantity) as price,
			${positionSql} as position
		from market_index.event
		where collection_id = given.collection_id
			and kind in (${EVENT_KIND.sale}, ${EVENT_KIND.mint})
			and accepted and occurred_at >= given.bucket
			and occurred_at < given.bucket + interval '1 minute'
	) as event`;

function fromBuckets(table: string, bucketMs: number): string {
	return `select coalesce(sum(sales), 0)::int4 as sales, coalesce(sum(priced), 0)::int4 as priced,
		least(coalesce(sum(units), 0), ${AMOUNT_MAX}) as units,
		least(coalesce(sum(volume), 0), ${AMOUNT_MAX}) as volume,
		coalesce(sum(mints), 0)::int4 as mints,
		(array_agg(open order by open_position, open))[1] as open,
		max(high) as high, min(low) as low,
		(array_agg(close order by close_position desc nulls last, close desc))[1] as close,
		min(open_position) as open_position, max(close_position) as close_position
	from market_index.${table} as fine
	where fine.collection_id = given.collection_id and fine.bucket >= given.bucket
		and fine.bucket < given.bucket + interval '${bucketMs} milliseconds'`;
}
