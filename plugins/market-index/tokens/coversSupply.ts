import { COVERED_SHARE_PERCENT } from "#plugins/market-index/tokens/limits.ts";

/**
 * Whether so many tokens are about all there are. A few may be broken for good, and must not keep
 * the others without a rank; where nobody knows the supply, what is there is all.
 */
export function coversSupply(tokens: number, supply: string | null): boolean {
	return supply === null || tokens * 100 >= Number(supply) * COVERED_SHARE_PERCENT;
}
