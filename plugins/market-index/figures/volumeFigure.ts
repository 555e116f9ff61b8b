import { displayNative } from "#plugins/market-index/display/displayNative.ts";
import { roundedDown } from "#plugins/market-index/figures/coverageOf.ts";
import { decideFigure } from "#plugins/market-index/figures/decideFigure.ts";
import type { FigureContext } from "#plugins/market-index/figures/FigureContext.ts";
import { isContradicted, type ProviderDay } from "#plugins/market-index/figures/isContradicted.ts";
import { windowCoverage } from "#plugins/market-index/figures/windowCoverage.ts";
import type { Coverage, Figure } from "#plugins/market-index/rollup/Figure.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import type { ProviderEvents } from "#plugins/market-index/sql/readEventSpans.ts";

type TradedRow = ProviderEvents &
	ProviderDay &
	Pick<CollectionRow, "windowSales" | "windowPriced" | "windowVolume">;

/**
 * Returns the sum of the accepted sales of the row's window. Zero is unknown if there were sales,
 * by any source. Where only some sales have a price, the coverage is smaller by that share.
 */
export function volumeFigure(row: TradedRow, context: FigureContext): Figure {
	const { window } = context;
	const covered = windowCoverage(row, context, { kind: "sales", window });
	const isDenied = isContradicted(row, context, covered.isChainWhole);
	return decideFigure({
		value: displayNative(row.windowVolume),
		source: covered.source,
		window,
		coverage: covered.coverage && ofPriced(covered.coverage, row),
		isCounted: true,
		doubt: row.windowSales > 0 ? "no_price" : isDenied ? "contradicted" : null,
	});
}

function ofPriced(coverage: Coverage, { windowSales, windowPriced }: TradedRow): Coverage {
	const { fraction } = coverage;
	if (fraction === null || windowPriced >= windowSales) return coverage;
	return { ...coverage, fraction: roundedDown((fraction * windowPriced) / windowSales) };
}
