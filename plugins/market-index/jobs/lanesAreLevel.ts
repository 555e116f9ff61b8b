import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { LEVEL_BLOCKS } from "#plugins/market-index/jobs/limits.ts";

/**
 * Says whether a chain's lanes are near its head with nothing owed below: less urgent work waits
 * until then. A chain that no lane follows is level.
 */
export async function lanesAreLevel(
	scanner: Pick<Scanner, "progress">,
	chainId: number,
): Promise<boolean> {
	const lanes = await Promise.all([
		scanner.progress(chainId, "mint"),
		scanner.progress(chainId, "sale"),
	]);
	return lanes.every(({ headBlock, indexedBlock, owes = false }) => {
		if (headBlock === null || indexedBlock === null) return true;
		return !owes && headBlock - indexedBlock < LEVEL_BLOCKS;
	});
}
