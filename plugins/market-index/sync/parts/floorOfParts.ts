import { decideFloor } from "#plugins/market-index/floor/decideFloor.ts";
import type { FloorReading } from "#plugins/market-index/floor/FloorReading.ts";
import { statsFloorNative } from "#plugins/market-index/floor/statsFloorNative.ts";
import type { SyncParts } from "#plugins/market-index/sync/parts/SyncParts.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** Returns the floor, as far as the parts that arrived tell it. */
export function floorOfParts(
	{ detail, stats, listings }: SyncParts,
	{
		chainId,
		prices,
		nowMs,
	}: { chainId: number; prices: Pick<Prices, "nativeOfSymbol">; nowMs: number },
): FloorReading {
	const statsFloor = detail?.isShared ? null : (stats?.floor ?? null);
	return decideFloor({
		stats: statsFloor,
		statsNative: statsFloorNative(statsFloor, { chainId, prices, nowMs }),
		best: listings?.best ?? null,
		// An empty book counts only where the stats, which see more markets, do not contradict it.
		isEmptyBook: (stats?.isRead && listings?.isEmpty) ?? false,
	});
}
