import type { Chain } from "#core/chain/Chain.ts";
import { displayCount } from "#plugins/market-index/render/displayCount.ts";
import { displayFloor } from "#plugins/market-index/render/displayFloor.ts";
import { displayProvider } from "#plugins/market-index/render/displayProvider.ts";
import { displayTime } from "#plugins/market-index/render/displayTime.ts";
import { displayVolume } from "#plugins/market-index/render/displayVolume.ts";
import { lifecycleOfRow } from "#plugins/market-index/render/lifecycleOfRow.ts";
import type { ProviderHealth } from "#plugins/market-index/render/ProviderHealth.ts";
import type { Collection } from "#plugins/market-index/schemas/collectionSchema.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** A collection read over 24 hours; `coverageEnd` is until when its chain's events are held. */
export function renderCollection(
	chain: Chain,
	row: CollectionRow,
	options: {
		nowMs: number;
		coverageEnd: Date | null;
		prices: Pick<Prices, "ethUsd">;
		provider: ProviderHealth;
	},
): Collection {
	const floor = displayFloor(row.floorNative);
	const rate = options.prices.ethUsd(options.nowMs);
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
		// Without a rate of today, what it was worth when one was known: never erased.
		floor_price_usd: floor === null ? null : rate === null ? row.floorUsd : floor * rate,
		volume_24h: volume,
		owners: row.ownersCount,
		sync: { status: row.syncStatus, coverageEnd: displayTime(options.coverageEnd) },
		...displayProvider(options.provider, { ...row, nowMs: options.nowMs }),
	};
}
