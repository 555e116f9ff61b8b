import type { Chain } from "#core/chain/Chain.ts";
import { displayFloor } from "#plugins/market-index/render/displayFloor.ts";
import { displayTime } from "#plugins/market-index/render/displayTime.ts";
import { displayVolume } from "#plugins/market-index/render/displayVolume.ts";
import { lifecycleOfRow } from "#plugins/market-index/render/lifecycleOfRow.ts";
import type { TrendingRow } from "#plugins/market-index/schemas/trendingRowSchema.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/** A collection read over the window that trending was asked for. */
export function renderTrendingRow(chain: Chain, row: CollectionRow, nowMs: number): TrendingRow {
	const lifecycle = lifecycleOfRow(row, nowMs).presented;
	return {
		slug: row.slug,
		chain: chain.slug,
		contractAddress: row.address,
		name: row.name,
		imageUrl: row.imageUrl,
		lifecycle,
		soldOut: lifecycle === "minted_out",
		lastMintAt: displayTime(row.lastMintAt),
		holders: row.ownersCount,
		listed: row.listedCount,
		volumeNative: displayVolume(row.windowVolume, row.windowSales),
		floorNative: displayFloor(row.floorNative),
		sales: row.windowSales,
	};
}
