import type { FigureContext } from "#plugins/market-index/figures/FigureContext.ts";
import { floorChangeFigure } from "#plugins/market-index/figures/floorChangeFigure.ts";
import { floorFigure } from "#plugins/market-index/figures/floorFigure.ts";
import { listedFigure } from "#plugins/market-index/figures/listedFigure.ts";
import { mintedFigure } from "#plugins/market-index/figures/mintedFigure.ts";
import { mintPriceFigure } from "#plugins/market-index/figures/mintPriceFigure.ts";
import { mintsFigure } from "#plugins/market-index/figures/mintsFigure.ts";
import { ownersFigure } from "#plugins/market-index/figures/ownersFigure.ts";
import { salesFigure } from "#plugins/market-index/figures/salesFigure.ts";
import { supplyFigure } from "#plugins/market-index/figures/supplyFigure.ts";
import { volumeFigure } from "#plugins/market-index/figures/volumeFigure.ts";
import { renderFigure } from "#plugins/market-index/render/renderFigure.ts";
import type { ShownFigures } from "#plugins/market-index/schemas/figuresSchema.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/** Renders every figure of a collection read over 24 hours, with its source. */
export function renderFigures(
	row: CollectionRow,
	context: FigureContext,
	mintPriceWei: string | null,
): ShownFigures {
	const count = { unit: "count" } as const;
	const eth = (wei: string | null) => ({ unit: "ETH", wei }) as const;
	return {
		floorNative: renderFigure(floorFigure(row), eth(row.floorNative)),
		floorChange24hPercent: renderFigure(floorChangeFigure(row), { unit: "percent" }),
		volume24hNative: renderFigure(volumeFigure(row, context), eth(row.windowVolume)),
		sales24h: renderFigure(salesFigure(row, context), count),
		ownersCount: renderFigure(ownersFigure(row, context), count),
		listedCount: renderFigure(listedFigure(row), count),
		totalSupply: renderFigure(supplyFigure(row, context), count),
		mints1h: renderFigure(mintsFigure(row, context), count),
		mintedSupply: renderFigure(mintedFigure(row, context), count),
		mintPriceNative: renderFigure(mintPriceFigure(mintPriceWei, row), eth(mintPriceWei)),
	};
}
