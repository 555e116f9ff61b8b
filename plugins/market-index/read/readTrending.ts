import type { Chain } from "#core/chain/Chain.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { LifecycleFilter } from "#plugins/market-index/lifecycle/lifecycleSql.ts";
import { chainOfRow } from "#plugins/market-index/read/chainOfRow.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { readFreshness } from "#plugins/market-index/read/readFreshness.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/read/windowOf.ts";
import { renderTrendingRow } from "#plugins/market-index/render/renderTrendingRow.ts";
import type { Freshness } from "#plugins/market-index/schemas/freshnessSchema.ts";
import type { TrendingRow } from "#plugins/market-index/schemas/trendingRowSchema.ts";
import { listCollections } from "#plugins/market-index/sql/listCollections.ts";

export type TrendingQuery = {
	chains: readonly Chain[];
	window: "5m" | "1h" | "6h" | "24h" | "7d";
	lifecycle: LifecycleFilter | undefined;
	limit: number;
};

/** Collections by sales in the window, read when they are asked for. */
export async function readTrending(
	{ core, scanner }: { core: IndexReads; scanner: Pick<Scanner, "progress"> },
	{ chains, window, lifecycle, limit }: TrendingQuery,
): Promise<{ rows: TrendingRow[]; freshness: Freshness }> {
	const nowMs = core.clock.nowMs();
	// Asked before the rows are read, so that it never claims more than they hold.
	const listRefreshedAt = new Date(nowMs).toISOString();
	const freshness = await readFreshness(scanner, chains, { nowMs, listRefreshedAt });
	const rows = await listCollections(core.db, {
		chainIds: chains.map(({ id }) => id),
		nowMs,
		window: windowOf(nowMs, WINDOW_MS[window]),
		order: "trending",
		lifecycle,
		limit,
	});
	return {
		rows: rows.map((row) => renderTrendingRow(chainOfRow(chains, row), row, nowMs)),
		freshness,
	};
}
