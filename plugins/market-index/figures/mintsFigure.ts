import { decideFigure } from "#plugins/market-index/figures/decideFigure.ts";
import type { FigureContext } from "#plugins/market-index/figures/FigureContext.ts";
import { windowCoverage } from "#plugins/market-index/figures/windowCoverage.ts";
import type { Figure } from "#plugins/market-index/rollup/Figure.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import type { ProviderEvents } from "#plugins/market-index/sql/readEventSpans.ts";

/** Returns the mint events in the last hour. */
export function mintsFigure(
	row: ProviderEvents & Pick<CollectionRow, "mints1h">,
	context: Pick<FigureContext, "nowMs" | "spans">,
): Figure {
	const window = "1h" as const;
	const { source, coverage } = windowCoverage(row, context, { kind: "mints", window });
	return decideFigure({ value: row.mints1h, source, window, coverage, isCounted: true });
}
