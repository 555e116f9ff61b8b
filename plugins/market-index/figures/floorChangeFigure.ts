import { decideFigure } from "#plugins/market-index/figures/decideFigure.ts";
import { floorChangePercent } from "#plugins/market-index/floor/floorChangePercent.ts";
import type { Figure } from "#plugins/market-index/rollup/Figure.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/** Returns the change of the floor since a day ago, in percent. */
export function floorChangeFigure(
	row: Pick<CollectionRow, "floorNative" | "floorBefore" | "floorAt">,
): Figure {
	return decideFigure({
		value: floorChangePercent(row.floorNative, row.floorBefore),
		source: "provider",
		window: "24h",
		asOfMs: row.floorAt?.getTime() ?? null,
		isCounted: true,
		isSigned: true,
	});
}
