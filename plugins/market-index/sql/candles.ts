// Reads candles from the rollups.

import type { Queryable } from "#core/db/Database.ts";
import {
	CANDLE_INTERVALS,
	type Candle,
	type CandleInterval,
	type CandleRow,
	renderCandle,
} from "#plugins/market-index/rollup/candles.ts";
import type { Rollup } from "#plugins/market-index/rollup/rollups.ts";

/** Returns the minute candles that a batch moved, as they are now; by primary key. */
export async function readCandleUpdates(
	db: Queryable,
	moved: readonly Pick<Rollup, "collectionId" | "bucketMs">[],
): Promise<{ collectionId: number; candle: Candle }[]> {
	if (moved.length === 0) return [];
	const rows = await db.query<CandleRow & { collectionId: number }>(
		`select kept.collection_id as "collectionId", kept.bucket, kept.open, kept.high, kept.low,
			kept.close, kept.volume, kept.sales
		from unnest($1::int4[], $2::timestamptz[]) as given (collection_id, bucket)
		join market_index.${CANDLE_INTERVALS["1m"].table} as kept using (collection_id, bucket)
		where kept.priced > 0
		order by kept.collection_id, kept.bucket`,
		[
			moved.map(({ collectionId }) => collectionId),
			moved.map(({ bucketMs }) => new Date(bucketMs)),
		],
	);
	return rows.map((row) => ({ collectionId: row.collectionId, candle: renderCandle(row) }));
}

/**
 * Returns a collection's newest candles that open before a time, newest first. Intervals without a
 * priced sale are left out.
 *
 * By the tiers' primary keys, backward. An interval has at most `buckets` rows, so the newest
 * `limit × buckets` priced rows are certain to fill the page: they limit how far back it reaches,
 * and so the cost is bounded whatever the history.
 */
export async function readCandles(
	db: Queryable,
	options: { collectionId: number; interval: CandleInterval; before: Date | null; limit: number },
): Promise<CandleRow[]> {
	const { ms, table, buckets } = CANDLE_INTERVALS[options.interval];
	// An interval that opens before the time is returned whole, also where it ends after it.
	const before = options.before && new Date(Math.ceil(options.before.getTime() / ms) * ms);
	return db.query<CandleRow>(
		`with bounded as not materialized (
			select *, date_bin($4 * interval '1 millisecond', bucket, 'epoch') as opens
			from market_index.${table}
			where collection_id = $1 and bucket < coalesce($2::timestamptz, 'infinity')
		), newest as (
			select distinct opens from (
				select opens from bounded where priced > 0 order by bucket desc limit $3::int8 * $5
			) as priced
			order by opens desc limit $3
		)
		select opens as bucket, (array_agg(open order by open_position))[1] as open,
			max(high) as high, min(low) as low,
			(array_agg(close order by close_position desc nulls last))[1] as close,
			sum(volume) as volume, sum(sales)::int8 as sales
		from bounded
		where sales > 0 and bucket >= (select min(opens) from newest)
		group by opens having sum(priced) > 0
		order by opens desc limit $3`,
		[options.collectionId, before, options.limit, ms, buckets],
	);
}
