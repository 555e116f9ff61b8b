import type { Scanner } from "#plugins/chain-scanner/contract.ts";

/**
 * Until when the index holds every event of a chain: when the sale lane last wrote. Null while it
 * is behind the head, since what it writes then is older than that by an unknown time.
 */
export async function readCoverageEnd(
	scanner: Pick<Scanner, "progress">,
	chainId: number,
): Promise<Date | null> {
	const { headBlock, indexedBlock, indexedAtMs } = await scanner.progress(chainId, "sale");
	if (headBlock === null || indexedBlock === null || indexedAtMs === null) return null;
	return headBlock - indexedBlock <= HEAD_BLOCKS ? new Date(indexedAtMs) : null;
}

/** A lane this close counts as being at the head: blocks come while it writes. */
const HEAD_BLOCKS = 5;
