import type { LaneKind, Scanner } from "#plugins/chain-scanner/contract.ts";

const LANES: readonly LaneKind[] = ["mint", "sale"];

/**
 * Returns until when the index has every event of a chain: when the slower of its lanes last was
 * level with the head. Null while one is behind, or backfill still owes blocks: how much is missing
 * then is not known.
 */
export async function readCoverageEnd(
	scanner: Pick<Scanner, "progress">,
	chainId: number,
): Promise<Date | null> {
	const lanes = await Promise.all(LANES.map((lane) => scanner.progress(chainId, lane)));
	let endMs = Number.POSITIVE_INFINITY;
	for (const { headBlock, indexedBlock, indexedAtMs, owes, coveredUntilMs } of lanes) {
		if (indexedAtMs === null || indexedBlock === null || owes) return null;
		if (headBlock !== indexedBlock) return null;
		// A chain that makes no block is read all the same.
		endMs = Math.min(endMs, Math.max(indexedAtMs, coveredUntilMs ?? indexedAtMs));
	}
	return new Date(endMs);
}
