import { decideFigure } from "#plugins/market-index/figures/decideFigure.ts";
import type { FigureContext } from "#plugins/market-index/figures/FigureContext.ts";
import { isContradicted, type ProviderDay } from "#plugins/market-index/figures/isContradicted.ts";
import { windowCoverage } from "#plugins/market-index/figures/windowCoverage.ts";
import type { Figure } from "#plugins/market-index/rollup/Figure.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import type { ProviderEvents } from "#plugins/market-index/sql/readEventSpans.ts";

/** Returns accepted sales in the row's window. Zero is unknown if the provider counts sales. */
export function salesFigure(
	row: ProviderEvents & ProviderDay & Pick<CollectionRow, "windowSales">,
	context: FigureContext,
): Figure {
	const { window } = context;
	const covered = windowCoverage(row, context, { kind: "sales", window });
	const { source, coverage, isChainWhole } = covered;
	const doubt = isContradicted(row, context, isChainWhole) ? "contradicted" : null;
	return decideFigure({ value: row.windowSales, source, window, coverage, isCounted: true, doubt });
}
