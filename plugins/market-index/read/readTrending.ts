import type { Chain } from "#core/chain/Chain.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { chainOfRow } from "#plugins/market-index/display/chainOfRow.ts";
import { NO_SPANS } from "#plugins/market-index/figures/ChainSpans.ts";
import { readSpansOf } from "#plugins/market-index/figures/readChainSpans.ts";
import type { LifecycleFilter } from "#plugins/market-index/lifecycle/lifecycleSql.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { readFreshness } from "#plugins/market-index/read/readFreshness.ts";
import { renderTrendingRow } from "#plugins/market-index/render/renderTrendingRow.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windowOf.ts";
import type { Freshness } from "#plugins/market-index/schemas/freshnessSchema.ts";
import type { TrendingRow } from "#plugins/market-index/schemas/trendingRowSchema.ts";
import { listCollections } from "#plugins/market-index/sql/listCollections.ts";
import { TRENDING_COLUMNS } from "#plugins/market-index/sql/trendingColumns.ts";

export type TrendingQuery = {
	chains: readonly Chain[];
	window: "5m" | "1h" | "6h" | "24h" | "7d";
	lifecycle?: LifecycleFilter | undefined;
	limit: number;
};

/** Returns collections by sales in the window, read at each request. */
export async function readTrending(
	{ core, scanner }: { core: IndexReads; scanner: Pick<Scanner, "progress"> },
	{ chains, window, lifecycle, limit }: TrendingQuery,
): Promise<{ rows: TrendingRow[]; freshness: Freshness }> {
	const nowMs = core.clock.nowMs();
	// Read before the rows, so that it never claims more than they contain. No list is read.
	const [freshness, spansOf] = await Promise.all([
		readFreshness(scanner, chains, { nowMs, listRefreshedAt: null }),
		readSpansOf(scanner, chains),
	]);
	const rows = await listCollections(core.db.keepingPlans, {
		chainIds: chains.map(({ id }) => id),
		nowMs,
		window: windowOf(nowMs, WINDOW_MS[window]),
		order: "trending",
		columns: TRENDING_COLUMNS,
		lifecycle,
		limit,
	});
	return {
		rows: rows.map((row) => {
			const spans = spansOf.get(row.chainId) ?? NO_SPANS;
			return renderTrendingRow(chainOfRow(chains, row), row, { nowMs, window, spans });
		}),
		freshness,
	};
}
