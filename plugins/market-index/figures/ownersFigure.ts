import { decideFigure } from "#plugins/market-index/figures/decideFigure.ts";
import type { FigureContext } from "#plugins/market-index/figures/FigureContext.ts";
import type { Coverage, Figure } from "#plugins/market-index/rollup/Figure.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

type OwnedRow = Pick<
	CollectionRow,
	"ownersCount" | "ownersSource" | "ownersAt" | "providerSalesDay"
>;

/**
 * Returns the owners: by a finished walk, else by the provider, else the recipients that the index
 * saw. The last are only a part: owners from before the lanes began are missing.
 */
export function ownersFigure(row: OwnedRow, { spans }: Pick<FigureContext, "spans">): Figure {
	const { ownersCount: value, ownersSource } = row;
	const atMs = row.ownersAt?.getTime() ?? null;
	if (ownersSource === "walk") {
		const coverage: Coverage = { fromMs: null, untilMs: spans.movesUntilMs, fraction: 1 };
		return decideFigure({ value, source: "walk", coverage, isCounted: true });
	}
	if (ownersSource !== "recipients") {
		// Stats of this very contract were read (they count its sales), and have no owners yet.
		const absent = row.providerSalesDay === null ? "not_read" : "not_counted";
		return decideFigure({ value, absent, source: "provider", asOfMs: atMs });
	}
	const { sales, mints } = spans;
	const fromMs = sales && mints ? Math.max(sales.fromMs, mints.fromMs) : null;
	const coverage = { fromMs, untilMs: atMs, fraction: null };
	return decideFigure({ value, source: "chain", coverage });
}
