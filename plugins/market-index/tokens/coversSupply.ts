import { COVERED_SHARE_PERCENT } from "#plugins/market-index/tokens/limits.ts";

/**
 * Says whether so many tokens are about all there are. A few may be unreadable for good, and must
 * not keep the others without a rank; with an unknown supply, what is there is all.
 */
export function coversSupply(tokens: number, supply: string | null): boolean {
	return supply === null || tokens * 100 >= Number(supply) * COVERED_SHARE_PERCENT;
}
