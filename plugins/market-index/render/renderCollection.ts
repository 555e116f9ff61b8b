import type { Chain } from "#core/chain/Chain.ts";
import { displayProvider } from "#plugins/market-index/display/displayProvider.ts";
import { displayTime } from "#plugins/market-index/display/displayTime.ts";
import { nativeCurrency } from "#plugins/market-index/display/nativeCurrency.ts";
import type { ProviderHealth } from "#plugins/market-index/display/ProviderHealth.ts";
import type { ChainSpans } from "#plugins/market-index/figures/ChainSpans.ts";
import { floorFigure } from "#plugins/market-index/figures/floorFigure.ts";
import { listedFigure } from "#plugins/market-index/figures/listedFigure.ts";
import { ownersFigure } from "#plugins/market-index/figures/ownersFigure.ts";
import { rawOf } from "#plugins/market-index/figures/rawOf.ts";
import { salesFigure } from "#plugins/market-index/figures/salesFigure.ts";
import { supplyFigure } from "#plugins/market-index/figures/supplyFigure.ts";
import { volumeFigure } from "#plugins/market-index/figures/volumeFigure.ts";
import { lifecycleOfRow } from "#plugins/market-index/render/lifecycleOfRow.ts";
import { renderPartial } from "#plugins/market-index/render/renderPartial.ts";
import type { Collection } from "#plugins/market-index/schemas/collectionSchema.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/**
 * Renders a collection read over 24 hours; `coverageEnd` is until when its chain's lanes have
 * everything.
 */
export function renderCollection(
	chain: Chain,
	row: CollectionRow,
	options: {
		nowMs: number;
		spans: ChainSpans;
		coverageEnd: Date | null;
		prices: Pick<Prices, "ethUsd">;
		provider: ProviderHealth;
	},
): Collection {
	const context = { nowMs: options.nowMs, window: "24h", spans: options.spans } as const;
	const floorNative = floorFigure(row);
	const volume24hNative = volumeFigure(row, context);
	const sales24h = salesFigure(row, context);
	const ownersCount = ownersFigure(row, context);
	const floor = floorNative.value;
	const volume = volume24hNative.value;
	const owners = ownersCount.value;
	const rate = options.prices.ethUsd(options.nowMs);
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
		volumeRaw: rawOf(volume24hNative, row.windowVolume),
		volumeCurrency: nativeCurrency,
		ownersCount: owners,
		listedCount: listedFigure(row).value,
		totalSupply: supplyFigure(row, context).value,
		sales24h: sales24h.value,
		lifecycle: lifecycleOfRow(row, options.nowMs).presented,
		revealState: row.revealState,
		revealCheckedAt: displayTime(row.revealCheckedAt),
		revealedAt: displayTime(row.revealedAt),
		lastMintAt: displayTime(row.lastMintAt),
		floor,
		floor_price: floor,
		floor_price_usd: floorUsd(row, rate),
		volume_24h: volume,
		owners,
		coverage: renderPartial({ volume24hNative, sales24h, ownersCount }),
		sync: { status: row.syncStatus, coverageEnd: displayTime(heldUntil(row, options)) },
		...displayProvider(options.provider, { ...row, nowMs: options.nowMs }),
	};
}

/**
 * Returns the floor in dollars. Without a present rate it is the last known value: never erased.
 */
export function floorUsd(
	row: Pick<CollectionRow, "floorNative" | "floorAt" | "floorUsd">,
	rate: number | null,
): number | null {
	const floor = floorFigure(row).value;
	if (floor === null) return null;
	return rate === null ? row.floorUsd : floor * rate;
}

/**
 * Returns until when every event is stored: by the lanes, and by the part of the provider's list
 * that was read. Null where the provider was not asked yet.
 */
function heldUntil(
	{ eventsUntil, lastProviderAt }: CollectionRow,
	{ coverageEnd, provider }: { coverageEnd: Date | null; provider: ProviderHealth },
): Date | null {
	if (coverageEnd === null || !provider.isOn) return coverageEnd;
	if (eventsUntil === null) return lastProviderAt === null ? null : coverageEnd;
	return eventsUntil < coverageEnd ? eventsUntil : coverageEnd;
}
