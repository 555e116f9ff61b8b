import type { FoundCollection } from "#plugins/market-index/contract.ts";
import { salesFigure } from "#plugins/market-index/figures/salesFigure.ts";
import { volumeFigure } from "#plugins/market-index/figures/volumeFigure.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { readColumns } from "#plugins/market-index/read/readColumns.ts";
import { renderFigure } from "#plugins/market-index/render/renderFigure.ts";
import type { FigureWindow } from "#plugins/market-index/rollup/Figure.ts";
import type { ShownFigure } from "#plugins/market-index/schemas/figureSchema.ts";

const COLUMNS = [
	"name",
	"windowSales",
	"windowPriced",
	"windowVolume",
	"eventsFrom",
	"eventsUntil",
	"walkFrom",
	"walkUntil",
	"providerSalesDay",
	"providerStatsAt",
] as const;

/** Reads one collection's volume and sales of any window, with its name. */
export async function readWindowFigures(
	deps: Pick<RouteContext, "core" | "scanner">,
	found: FoundCollection,
	window: FigureWindow,
): Promise<{ name: string | null; volume: ShownFigure; sales: ShownFigure }> {
	const { row, context } = await readColumns(deps, found, { columns: COLUMNS, window });
	return {
		name: row.name,
		volume: renderFigure(volumeFigure(row, context), { unit: "ETH", wei: row.windowVolume }),
		sales: renderFigure(salesFigure(row, context), { unit: "count" }),
	};
}
