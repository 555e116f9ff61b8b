import { CURSOR_PART, createCursor } from "#core/http/createCursor.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { FoundCollection } from "#plugins/market-index/contract.ts";
import { heldBy } from "#plugins/market-index/figures/heldBy.ts";
import { pageCoverage } from "#plugins/market-index/figures/pageCoverage.ts";
import { readChainSpans } from "#plugins/market-index/figures/readChainSpans.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { resolveChain } from "#plugins/market-index/read/resolveChain.ts";
import type { Candle } from "#plugins/market-index/rollup/Candle.ts";
import { renderCandle } from "#plugins/market-index/rollup/renderCandle.ts";
import type { ShownPartial } from "#plugins/market-index/schemas/partialSchema.ts";
import { type CandleInterval, readCandles } from "#plugins/market-index/sql/readCandles.ts";
import { readEventSpans } from "#plugins/market-index/sql/readEventSpans.ts";

export type CandlePage = {
	candles: Candle[];
	coverage: ShownPartial;
	page: { nextCursor: string | null; hasMore: boolean };
};

const cursors = createCursor("candles2", [CURSOR_PART.millis]);

/**
 * Reads candles in the order of a chart, newest last. A cursor is the opening time of the oldest
 * candle of the page before. It takes precedence over `before`, which a client may still send.
 */
export async function readCandlePage(
	{ core, scanner }: { core: IndexReads; scanner: Pick<Scanner, "progress"> },
	query: {
		collection: Pick<FoundCollection, "id" | "chain" | "address">;
		interval: CandleInterval;
		before: Date | null;
		cursor: string | undefined;
		limit: number;
	},
): Promise<CandlePage> {
	const { collection, interval, cursor, limit } = query;
	const { id: collectionId, chain, address } = collection;
	const bound = cursors.of({ chain, address, interval });
	const before = cursor === undefined ? query.before : new Date(Number(bound.decode(cursor)[0]));
	const nowMs = core.clock.nowMs();
	// Both are read before the rows, so that they never claim more than those contain.
	const [spans, provider] = await Promise.all([
		readChainSpans(scanner, resolveChain(core, chain).id),
		readEventSpans(core.db, collectionId),
	]);
	const rows = await readCandles(core.db, { collectionId, interval, before, limit: limit + 1 });
	const shown = rows.slice(0, limit);
	const oldest = shown.at(-1);
	const hasMore = rows.length > limit;
	const nextCursor = hasMore && oldest ? bound.encode([`${oldest.bucket.getTime()}`]) : null;
	const range = {
		fromMs: hasMore && oldest ? oldest.bucket.getTime() : null,
		untilMs: Math.min(before?.getTime() ?? nowMs, nowMs),
	};
	return {
		candles: shown.reverse().map(renderCandle),
		coverage: pageCoverage(range, { candles: heldBy(provider, spans, "sales") }),
		page: { nextCursor, hasMore },
	};
}
