import type { Queryable } from "#core/db/Database.ts";
import type { Candle } from "#plugins/market-index/rollup/Candle.ts";
import type { Rollup } from "#plugins/market-index/rollup/Rollup.ts";
import { type CandleRow, renderCandle } from "#plugins/market-index/rollup/renderCandle.ts";

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
		join market_index.rollup_minute as kept using (collection_id, bucket)
		where kept.priced > 0
		order by kept.collection_id, kept.bucket`,
		[
			moved.map(({ collectionId }) => collectionId),
			moved.map(({ bucketMs }) => new Date(bucketMs)),
		],
	);
	return rows.map((row) => ({ collectionId: row.collectionId, candle: renderCandle(row) }));
}
