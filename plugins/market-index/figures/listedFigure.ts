import { decideFigure } from "#plugins/market-index/figures/decideFigure.ts";
import type { Figure } from "#plugins/market-index/rollup/Figure.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/**
 * Returns how many tokens any account may buy. Every listing was read for it, so zero is a count.
 */
export function listedFigure(row: Pick<CollectionRow, "listedCount" | "listedAt">): Figure {
	return decideFigure({
		value: row.listedCount,
		source: "provider",
		asOfMs: row.listedAt?.getTime() ?? null,
		isCounted: true,
	});
}
