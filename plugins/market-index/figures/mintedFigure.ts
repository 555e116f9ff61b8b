import { roundedDown } from "#plugins/market-index/figures/coverageOf.ts";
import { decideFigure } from "#plugins/market-index/figures/decideFigure.ts";
import type { FigureContext } from "#plugins/market-index/figures/FigureContext.ts";
import { supplyFigure } from "#plugins/market-index/figures/supplyFigure.ts";
import type { Coverage, Figure } from "#plugins/market-index/rollup/Figure.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

type MintedRow = Pick<
	CollectionRow,
	"mintedSupply" | "isWalked" | "totalSupply" | "supplySource" | "supplyAt"
>;

/**
 * Returns the units ever minted: by a finished walk, else those that the index saw. The latter are
 * covered by their share of the supply. None seen is unknown where there is a supply, or where the
 * contract may be older than the blocks that lanes read.
 */
export function mintedFigure(row: MintedRow, { spans }: Pick<FigureContext, "spans">): Figure {
	const value = Number(row.mintedSupply);
	if (row.isWalked) {
		const coverage: Coverage = { fromMs: null, untilMs: spans.movesUntilMs, fraction: 1 };
		return decideFigure({ value, source: "walk", coverage, isCounted: true });
	}
	const supply = supplyFigure(row, { spans }).value;
	const isContradicted = value === 0 && supply !== null;
	return decideFigure({
		value,
		source: "chain",
		coverage: seenOf(value, supply, spans.mints),
		isCounted: true,
		doubt: isContradicted ? "contradicted" : null,
	});
}

function seenOf(
	minted: number,
	supply: number | null,
	span: { fromMs: number; untilMs: number } | null,
): Coverage | null {
	if (!span) return null;
	const { fromMs, untilMs } = span;
	// From the chain's first block on: everything was seen.
	if (fromMs === 0) return { fromMs, untilMs, fraction: 1 };
	// Since when they have been read is not known, so zero seen mints mean unknown.
	if (minted === 0) return null;
	const fraction = supply === null ? null : roundedDown(minted / supply);
	return { fromMs, untilMs, fraction };
}
