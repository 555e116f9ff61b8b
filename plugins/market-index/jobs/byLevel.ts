import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { lanesAreLevel } from "#plugins/market-index/jobs/lanesAreLevel.ts";

/** Sorts chains by whether their lanes are level. */
export async function byLevel(
	scanner: Pick<Scanner, "progress">,
	chainIds: readonly number[],
): Promise<{ level: number[]; behind: number[] }> {
	const said = await Promise.all(chainIds.map((chainId) => lanesAreLevel(scanner, chainId)));
	return {
		level: chainIds.filter((_, index) => said[index]),
		behind: chainIds.filter((_, index) => !said[index]),
	};
}
