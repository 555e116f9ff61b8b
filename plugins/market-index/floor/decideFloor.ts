import type { FloorReading } from "#plugins/market-index/floor/FloorReading.ts";
import type { ProviderFigure } from "#plugins/provider/contract.ts";

export type FloorSources = {
	/** The provider's own figure, over all the markets it knows; null where it has none. */
	stats: ProviderFigure;
	/** The same in wei of ETH; null where no rate is known. */
	statsNative: bigint | null;
	/** The best ask that can be bought here. */
	best: { unitNative: string; price: number; symbol: string } | null;
	/** Whether every listing was seen, and there is none: only that says that nobody sells. */
	isEmptyBook: boolean;
};

/**
 * The provider's figure spans more markets than its order book, so it goes first. Zero is never a
 * floor: it is what is said where nobody has counted yet.
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
