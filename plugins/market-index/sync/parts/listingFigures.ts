import type { Ask } from "#plugins/market-index/sync/parts/Ask.ts";
import type { SyncParts } from "#plugins/market-index/sync/parts/SyncParts.ts";

export type ListingFigures = Omit<NonNullable<SyncParts["listings"]>, "atMs"> & {
	/** Tokens for sale; null where not every listing was read. */
	listed: number | null;
};

/**
 * Returns the figures of the cheapest listings: the best ask, when it ends, and how many tokens are
 * for sale.
 */
export function listingFigures(
	listings: readonly Ask[],
	{ isWhole, nowMs }: { isWhole: boolean; nowMs: number },
): ListingFigures {
	const asks = listings.filter((one) => isOpen(one, nowMs));
	const best = bestOf(asks);
	return {
		best,
		isEmpty: isWhole && asks.length === 0,
		bestEndsAtMs: best && endOf(best.unitNative, asks),
		listed: isWhole ? new Set(asks.map(({ tokenId }) => tokenId)).size : null,
	};
}

function isOpen({ startsAtMs, endsAtMs }: Ask, nowMs: number): boolean {
	return (startsAtMs === null || startsAtMs <= nowMs) && (endsAtMs === null || endsAtMs > nowMs);
}

function bestOf(asks: readonly Ask[]) {
	let best: { unitNative: string; price: number; symbol: string } | null = null;
	for (const { unitNative, price, symbol } of asks) {
		if (unitNative === null || BigInt(unitNative) <= 0n) continue;
		if (!best || BigInt(unitNative) < BigInt(best.unitNative)) best = { unitNative, price, symbol };
	}
	return best;
}

function endOf(bestNative: string, asks: readonly Ask[]): number | null {
	const ends = asks
		.filter(({ unitNative }) => unitNative !== null && BigInt(unitNative) === BigInt(bestNative))
		.map(({ endsAtMs }) => endsAtMs);
	const times = ends.filter((endsAtMs) => endsAtMs !== null);
	return times.length === ends.length ? Math.max(...times) : null;
}
