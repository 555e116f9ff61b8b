import type { FloorReading } from "#plugins/market-index/floor/FloorReading.ts";
import type { ProviderFigure } from "#plugins/provider/contract.ts";

export type FloorSources = {
	/** The provider's own figure, over all markets it knows; null where it has none. */
	stats: ProviderFigure;
	/** The same in wei of ETH; null where no rate is known. */
	statsNative: bigint | null;
	/** The best ask that can be bought here. */
	best: { unitNative: string; price: number; symbol: string } | null;
	/** True: every listing was read, and there is none. Only that means that nothing is for sale. */
	isEmptyBook: boolean;
};

/**
 * Decides the floor. The provider's figure covers more markets than its order book, so it comes
 * first. Zero is never a floor: it means not counted yet.
 */
export function decideFloor(sources: FloorSources): FloorReading {
	const { stats, statsNative, best, isEmptyBook } = sources;
	if (stats && stats.value > 0 && statsNative !== null && statsNative > 0n) {
		return { kind: "ask", native: statsNative, price: stats.value, symbol: stats.symbol };
	}
	if (best && BigInt(best.unitNative) > 0n) {
		const { unitNative, price, symbol } = best;
		return { kind: "ask", native: BigInt(unitNative), price, symbol };
	}
	return isEmptyBook && stats === null ? { kind: "none" } : { kind: "unknown" };
}
