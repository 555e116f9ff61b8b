import type { Chain } from "#core/chain/Chain.ts";
import { displayTime } from "#plugins/market-index/display/displayTime.ts";
import type { ChainSpans } from "#plugins/market-index/figures/ChainSpans.ts";
import { floorChangeFigure } from "#plugins/market-index/figures/floorChangeFigure.ts";
import { mintsFigure } from "#plugins/market-index/figures/mintsFigure.ts";
import { lifecycleOfRow } from "#plugins/market-index/render/lifecycleOfRow.ts";
import { renderPartial } from "#plugins/market-index/render/renderPartial.ts";
import { renderTrade } from "#plugins/market-index/render/renderTrade.ts";
import type { DiscoverRow } from "#plugins/market-index/schemas/discoverRowSchema.ts";
import type { DiscoverColumns } from "#plugins/market-index/sql/discoverColumns.ts";

/** Renders a collection read over 24 hours as a row of discover. */
export function renderDiscoverRow(
	chain: Chain,
	row: DiscoverColumns,
	{ nowMs, spans }: { nowMs: number; spans: ChainSpans },
): DiscoverRow {
	const context = { nowMs, window: "24h", spans } as const;
	const { fields, volume, sales } = renderTrade(chain, row, context);
	const mints1h = mintsFigure(row, context);
	return {
		...fields,
		volume24hNative: volume.value,
		sales24h: sales.value,
		floorChange24hPercent: floorChangeFigure(row).value,
		mints1h: mints1h.value,
		lastMintAt: displayTime(row.lastMintAt),
		revealState: row.revealState,
		lifecycle: lifecycleOfRow(row, nowMs).presented,
		coverage: renderPartial({ volume24hNative: volume, sales24h: sales, mints1h }),
	};
}
