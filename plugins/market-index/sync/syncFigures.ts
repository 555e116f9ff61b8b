import { decideFloor } from "#plugins/market-index/floor/decideFloor.ts";
import type { FloorReading } from "#plugins/market-index/floor/FloorReading.ts";
import { statsFloorNative } from "#plugins/market-index/floor/statsFloorNative.ts";
import type { OrderRow } from "#plugins/market-index/orders/OrderRow.ts";
import type { ProviderReading } from "#plugins/market-index/sync/askProvider.ts";
import type { Prices } from "#plugins/prices/contract.ts";

export type SyncFigures = {
	floor: FloorReading;
	/** Null where nothing was learned: what is stored stays. */
	owners: number | null;
	supply: bigint | null;
	listed: number | null;
	/** Floor or owners are what the provider says of a launch that it has not counted yet. */
	isUncounted: boolean;
	/** When the last ask at the floor is over by itself; null where none is known to end. */
	floorEndsAtMs: number | null;
};

const OWNERS_MAX = 2_147_483_647;

/** What a reading says of the contract itself. Zero is not a count but the lack of one. */
export function syncFigures(
	reading: Extract<ProviderReading, { kind: "known" }>,
	{
		chainId,
		prices,
		nowMs,
	}: { chainId: number; prices: Pick<Prices, "nativeOfSymbol">; nowMs: number },
): SyncFigures {
	const { stats, detail, listings, isShared } = reading;
	const asks = listings.rows.filter((row) => isOpen(row, nowMs));
	const statsFloor = isShared ? null : (stats?.floor ?? null);
	const statsNative = statsFloorNative(statsFloor, { chainId, prices, nowMs });
	const floor = decideFloor({
		stats: statsFloor,
		statsNative,
		best: bestOf(asks),
		isEmptyBook: listings.isWhole && asks.length === 0,
	});
	const owners = isShared ? null : (stats?.owners ?? null);
	const supply = isShared ? null : detail.totalSupply;
	return {
		floor,
		owners: owners !== null && owners > 0 && owners <= OWNERS_MAX ? owners : null,
		supply: supply !== null && supply > 0n ? supply : null,
		listed: listings.isWhole ? new Set(asks.map(({ tokenId }) => tokenId)).size : null,
		isUncounted: !isShared && (!stats?.floor || !owners),
		floorEndsAtMs: endOf(floor, asks),
	};
}

function isOpen({ isPrivate, startsAt, expiresAt }: OrderRow, nowMs: number): boolean {
	if (isPrivate) return false;
	return (!startsAt || startsAt.getTime() <= nowMs) && (!expiresAt || expiresAt.getTime() > nowMs);
}

function endOf(floor: FloorReading, asks: readonly OrderRow[]): number | null {
	if (floor.kind !== "ask") return null;
	const ends = asks
		.filter(({ unitNative }) => unitNative !== null && BigInt(unitNative) === floor.native)
		.map(({ expiresAt }) => expiresAt?.getTime() ?? null);
	const times = ends.filter((endsAtMs) => endsAtMs !== null);
	return ends.length > 0 && times.length === ends.length ? Math.max(...times) : null;
}

function bestOf(rows: readonly OrderRow[]) {
	let best: { unitNative: string; price: number; symbol: string } | null = null;
	for (const { unitNative, unitPrice: price, symbol } of rows) {
		if (unitNative === null || BigInt(unitNative) <= 0n) continue;
		if (!best || BigInt(unitNative) < BigInt(best.unitNative)) best = { unitNative, price, symbol };
	}
	return best;
}
