import type { Chain } from "#core/chain/Chain.ts";
import { nativeCurrency } from "#plugins/market-index/display/nativeCurrency.ts";
import type { FigureContext } from "#plugins/market-index/figures/FigureContext.ts";
import { floorFigure } from "#plugins/market-index/figures/floorFigure.ts";
import { rawOf } from "#plugins/market-index/figures/rawOf.ts";
import { salesFigure } from "#plugins/market-index/figures/salesFigure.ts";
import { volumeFigure } from "#plugins/market-index/figures/volumeFigure.ts";
import type { TradeColumns } from "#plugins/market-index/sql/tradeColumns.ts";

/**
 * Returns what the rows of every list have in common, and the window's volume and sales as
 * figures: each kind of row has its own names for these two.
 */
export function renderTrade(
	chain: Chain,
	row: Omit<TradeColumns, "isAnnounced" | "isTraded">,
	context: FigureContext,
) {
	const volume = volumeFigure(row, context);
	return {
		volume,
		sales: salesFigure(row, context),
		fields: {
			slug: row.slug,
			chain: chain.slug,
			name: row.name,
			imageUrl: row.imageUrl,
			floorNative: floorFigure(row).value,
			volumeRaw: rawOf(volume, row.windowVolume),
			volumeCurrency: nativeCurrency,
		},
	};
}
