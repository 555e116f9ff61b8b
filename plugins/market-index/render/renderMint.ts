import type { FigureContext } from "#plugins/market-index/figures/FigureContext.ts";
import { mintedFigure } from "#plugins/market-index/figures/mintedFigure.ts";
import { mintPriceFigure } from "#plugins/market-index/figures/mintPriceFigure.ts";
import { mintsFigure } from "#plugins/market-index/figures/mintsFigure.ts";
import { lifecycleOfRow } from "#plugins/market-index/render/lifecycleOfRow.ts";
import { renderPartial } from "#plugins/market-index/render/renderPartial.ts";
import type { CollectionDetail } from "#plugins/market-index/schemas/collectionDetailSchema.ts";
import type { CollectionColumn, CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/** The columns from which a collection's lifecycle is computed. */
export const LIFECYCLE_COLUMNS = [
	...(["mintedUnits", "maxSupply", "firstMintAt", "lastMintAt"] as const),
	...(["sales", "isTraded", "isAnnounced"] as const),
] satisfies CollectionColumn[];

/** The columns of minted and existing units. */
export const SUPPLY_COLUMNS = [
	...(["mintedSupply", "isWalked", "totalSupply", "supplySource", "supplyAt"] as const),
] satisfies CollectionColumn[];

/** The columns of the state of a mint. */
export const MINT_COLUMNS = [
	...LIFECYCLE_COLUMNS,
	...SUPPLY_COLUMNS,
	...(["eventsFrom", "eventsUntil", "walkFrom", "walkUntil", "mints1h"] as const),
	...(["lastMintTotalRaw", "lastMintQuantity", "lastMintCurrency"] as const),
] satisfies CollectionColumn[];

/**
 * Renders the state of a collection's mint; `priceWei` is the price of the last one, in wei of
 * ETH.
 */
export function renderMint(
	row: Pick<CollectionRow, (typeof MINT_COLUMNS)[number]>,
	context: FigureContext,
	priceWei: string | null,
): CollectionDetail["mint"] {
	const mints1h = mintsFigure(row, context);
	const mintedSupply = mintedFigure(row, context);
	return {
		active: lifecycleOfRow(row, context.nowMs).stored === "minting" && row.mints1h > 0,
		priceNative: mintPriceFigure(priceWei, row).value,
		mints1h: mints1h.value,
		mintedSupply: mintedSupply.value,
		coverage: renderPartial({ mints1h, mintedSupply }),
	};
}
