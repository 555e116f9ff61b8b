import type { Chain } from "#core/chain/Chain.ts";
import { displayTime } from "#plugins/market-index/display/displayTime.ts";
import type { FigureContext } from "#plugins/market-index/figures/FigureContext.ts";
import { listedFigure } from "#plugins/market-index/figures/listedFigure.ts";
import { ownersFigure } from "#plugins/market-index/figures/ownersFigure.ts";
import { lifecycleOfRow } from "#plugins/market-index/render/lifecycleOfRow.ts";
import { renderPartial } from "#plugins/market-index/render/renderPartial.ts";
import { renderTrade } from "#plugins/market-index/render/renderTrade.ts";
import type { TrendingRow } from "#plugins/market-index/schemas/trendingRowSchema.ts";
import type { TrendingColumns } from "#plugins/market-index/sql/trendingColumns.ts";

/** Renders a collection read over the window that trending was asked for. */
export function renderTrendingRow(
	chain: Chain,
	row: TrendingColumns,
	context: FigureContext,
): TrendingRow {
	const lifecycle = lifecycleOfRow(row, context.nowMs).presented;
	const holders = ownersFigure(row, context);
	const { fields, volume, sales } = renderTrade(chain, row, context);
	return {
		...fields,
		contractAddress: row.address,
		lifecycle,
		soldOut: lifecycle === "minted_out",
		lastMintAt: displayTime(row.lastMintAt),
		holders: holders.value,
		listed: listedFigure(row).value,
		volumeNative: volume.value,
		sales: sales.value,
		coverage: renderPartial({ holders, volumeNative: volume, sales }),
	};
}
