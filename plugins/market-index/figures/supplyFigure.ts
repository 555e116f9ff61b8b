import { decideFigure } from "#plugins/market-index/figures/decideFigure.ts";
import type { FigureContext } from "#plugins/market-index/figures/FigureContext.ts";
import type { Figure } from "#plugins/market-index/rollup/Figure.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/**
 * Returns the units that exist: by a finished walk, else by the contract's answer, else by the
 * provider. Zero is believed of a walk alone: then all units were destroyed.
 */
export function supplyFigure(
	row: Pick<CollectionRow, "totalSupply" | "supplySource" | "supplyAt">,
	{ spans }: Pick<FigureContext, "spans">,
): Figure {
	const value = row.totalSupply === null ? null : Number(row.totalSupply);
	const isWalked = row.supplySource === "walk";
	const asOfMs = isWalked ? spans.movesUntilMs : (row.supplyAt?.getTime() ?? null);
	return decideFigure({ value, source: row.supplySource, asOfMs, isCounted: isWalked });
}
