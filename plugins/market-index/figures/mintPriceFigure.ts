import { displayNative } from "#plugins/market-index/display/displayNative.ts";
import { decideFigure } from "#plugins/market-index/figures/decideFigure.ts";
import type { Figure } from "#plugins/market-index/rollup/Figure.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/**
 * Returns the price of a unit at the last mint, from its price in wei of ETH; zero is free. A
 * payment in a currency without a rate has no price.
 */
export function mintPriceFigure(
	wei: string | null,
	{ lastMintAt, lastMintTotalRaw }: Pick<CollectionRow, "lastMintAt" | "lastMintTotalRaw">,
): Figure {
	return decideFigure({
		value: displayNative(wei),
		absent: lastMintTotalRaw === null ? "not_read" : "no_price",
		source: "chain",
		asOfMs: lastMintAt?.getTime() ?? null,
		isCounted: true,
	});
}
