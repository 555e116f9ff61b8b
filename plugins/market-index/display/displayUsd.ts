import { toDisplayNumber } from "#core/money/toDisplayNumber.ts";

const WEI_DECIMALS = 18;

/**
 * Converts wei to USD at a rate for one ETH. Made from the two numbers that clients see, so that
 * dividing them gives the rate; null where either is unknown.
 */
export function displayUsd(wei: bigint | null, ethUsd: number | null): number | null {
	return wei === null || ethUsd === null ? null : toDisplayNumber(wei, WEI_DECIMALS) * ethUsd;
}
