import { displayNative } from "#plugins/market-index/display/displayNative.ts";
import { decideFigure } from "#plugins/market-index/figures/decideFigure.ts";
import type { Figure } from "#plugins/market-index/rollup/Figure.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/** Returns the floor. It is an ask, so only the provider tells it; zero means not counted yet. */
export function floorFigure(row: Pick<CollectionRow, "floorNative" | "floorAt">): Figure {
	const value = displayNative(row.floorNative);
	return decideFigure({ value, source: "provider", asOfMs: row.floorAt?.getTime() ?? null });
}
