import type { Chain } from "#core/chain/Chain.ts";
import { displayCount } from "#plugins/market-index/render/displayCount.ts";
import { displayFloor } from "#plugins/market-index/render/displayFloor.ts";
import { displayTime } from "#plugins/market-index/render/displayTime.ts";
import { displayVolume } from "#plugins/market-index/render/displayVolume.ts";
import { lifecycleOfRow } from "#plugins/market-index/render/lifecycleOfRow.ts";
import type { Collection } from "#plugins/market-index/schemas/collectionSchema.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";

/** A collection read over 24 hours; `coverageEnd` is until when its chain's events are held. */
export function renderCollection(
	chain: Chain,
	row: CollectionRow,
	options: { nowMs: number; coverageEnd: Date | null },
): Collection {
	const floor = displayFloor(row.floorNative);
	const volume = displayVolume(row.windowVolume, row.windowSales);
	return {
		slug: row.slug,
		chain: chain.slug,
		contractAddress: row.address,
		name: row.name,
		imageUrl: row.imageUrl,
		syncStatus: row.syncStatus,
		lastProviderAt: displayTime(row.lastProviderAt),
		floorNative: floor,
		volume24hNative: volume,
		ownersCount: row.ownersCount,
		listedCount: row.listedCount,
		totalSupply: displayCount(row.totalSupply),
		sales24h: row.windowSales,
		lifecycle: lifecycleOfRow(row, options.nowMs).presented,
		revealState: row.revealState,
		revealCheckedAt: displayTime(row.revealCheckedAt),
		revealedAt: displayTime(row.revealedAt),
		lastMintAt: displayTime(row.lastMintAt),
		floor,
		floor_price: floor,
		// No ETH/USD rate reaches the index yet; unknown is not zero.
		floor_price_usd: null,
		volume_24h: volume,
		owners: row.ownersCount,
		sync: { status: row.syncStatus, coverageEnd: displayTime(options.coverageEnd) },
		// No provider is configured in this build.
		health: { providerConnected: false },
		provider_stream: "off",
	};
}
