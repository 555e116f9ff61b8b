import type { Queryable } from "#core/db/Database.ts";
import type { Candle } from "#plugins/market-index/render/Candle.ts";
import { renderCandle } from "#plugins/market-index/render/renderCandle.ts";
import { type CandleInterval, readCandles } from "#plugins/market-index/sql/readCandles.ts";

export type CandlePage = {
	candles: Candle[];
	page: { nextCursor: string | null; hasMore: boolean };
};

/** Candles in the order of a chart, newest last; the cursor is the `before` of the page before. */
export async function readCandlePage(
	db: Queryable,
	query: { collectionId: number; interval: CandleInterval; before: Date | null; limit: number },
): Promise<CandlePage> {
	const rows = await readCandles(db, { ...query, limit: query.limit + 1 });
	const candles = rows.slice(0, query.limit).reverse().map(renderCandle);
	const hasMore = rows.length > query.limit;
	return {
		candles,
		page: { nextCursor: hasMore ? (candles[0]?.openTime ?? null) : null, hasMore },
	};
}
