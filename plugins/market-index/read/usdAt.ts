import type { Prices } from "#plugins/prices/contract.ts";

const WEI_PER_ETH = 1e18;

/**
 * Returns a function that converts wei of ETH to USD of one moment; null where the rate, or the
 * amount, is unknown.
 */
export function usdAt(prices: Pick<Prices, "ethUsd">, atMs: number) {
	const rate = prices.ethUsd(atMs);
	return (wei: string | null): number | null =>
		wei === null || rate === null ? null : (Number(wei) / WEI_PER_ETH) * rate;
}
