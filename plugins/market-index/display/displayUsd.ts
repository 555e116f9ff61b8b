import { toDisplayNumber } from "#core/money/toDisplayNumber.ts";

const WEI_DECIMALS = 18;

/**
 * Wei as USD at a rate for one ETH. Made of the two numbers that clients see, so that theirs divide
 * to the rate; unknown where either is.
 */
export function displayUsd(wei: bigint | null, ethUsd: number | null): number | null {
	return wei === null || ethUsd === null ? null : toDisplayNumber(wei, WEI_DECIMALS) * ethUsd;
}
