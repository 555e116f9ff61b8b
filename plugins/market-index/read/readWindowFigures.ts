import type { FoundCollection } from "#plugins/market-index/contract.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { readChainSpans } from "#plugins/market-index/figures/readChainSpans.ts";
import { salesFigure } from "#plugins/market-index/figures/salesFigure.ts";
import { volumeFigure } from "#plugins/market-index/figures/volumeFigure.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { resolveChain } from "#plugins/market-index/read/resolveChain.ts";
import { renderFigure } from "#plugins/market-index/render/renderFigure.ts";
import type { FigureWindow } from "#plugins/market-index/rollup/Figure.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windowOf.ts";
import type { ShownFigure } from "#plugins/market-index/schemas/figureSchema.ts";
import { readCollections } from "#plugins/market-index/sql/readCollections.ts";

/** Reads one collection's volume and sales of any window. */
export async function readWindowFigures(
	{ core, scanner }: Pick<RouteContext, "core" | "scanner">,
	found: FoundCollection,
	window: FigureWindow,
): Promise<{ volume: ShownFigure; sales: ShownFigure }> {
	const nowMs = core.clock.nowMs();
	// Before the row, so that it never claims more than the row holds.
	const spans = await readChainSpans(scanner, resolveChain(core, found.chain).id);
	const [row] = await readCollections(core.db, {
		collectionIds: [found.id],
		nowMs,
		window: windowOf(nowMs, WINDOW_MS[window]),
		columns: [
			"windowSales",
			"windowPriced",
			"windowVolume",
			"eventsFrom",
			"eventsUntil",
			"walkFrom",
			"walkUntil",
			"providerSalesDay",
			"providerStatsAt",
		],
	});
	if (!row) throw marketFault.notFound();
	const context = { nowMs, window, spans };
	return {
		volume: renderFigure(volumeFigure(row, context), { unit: "ETH", wei: row.windowVolume }),
		sales: renderFigure(salesFigure(row, context), { unit: "count" }),
	};
}
