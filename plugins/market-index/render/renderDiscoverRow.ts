import type { Chain } from "#core/chain/Chain.ts";
import { floorChangePercent } from "#plugins/market-index/floor/floorChangePercent.ts";
import { displayFloor } from "#plugins/market-index/render/displayFloor.ts";
import { displayTime } from "#plugins/market-index/render/displayTime.ts";
import { displayVolume } from "#plugins/market-index/render/displayVolume.ts";
import { lifecycleOfRow } from "#plugins/market-index/render/lifecycleOfRow.ts";
import type { DiscoverRow } from "#plugins/market-index/schemas/discoverRowSchema.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/** A collection read over 24 hours as a row of discover. */
export function renderDiscoverRow(chain: Chain, row: CollectionRow, nowMs: number): DiscoverRow {
	return {
		slug: row.slug,
		chain: chain.slug,
		name: row.name,
		imageUrl: row.imageUrl,
		floorNative: displayFloor(row.floorNative),
		volume24hNative: displayVolume(row.windowVolume, row.windowSales),
		sales24h: row.windowSales,
		floorChange24hPercent: floorChangePercent(row.floorNative, row.floorBefore),
		mints1h: row.mints1h,
		lastMintAt: displayTime(row.lastMintAt),
		revealState: row.revealState,
		lifecycle: lifecycleOfRow(row, nowMs).presented,
	};
}
