/**
 * How far a node may be ahead at any time: other nodes may be restarting, or have lost the chain.
 */
const AHEAD_MAX = 2_000;
/** No chain makes blocks faster: the fastest known one makes ten in a second. */
const BLOCKS_PER_SECOND_MAX = 20;

/**
 * Returns how many blocks a chain can grow in `elapsedMs`, plus a tolerance. A head beyond that
 * needs a second answer that agrees: otherwise a single false one would make every honest node look
 * behind, and every receipt look final.
 */
export function blocksAheadMax(elapsedMs: number): number {
	return AHEAD_MAX + Math.ceil((Math.max(elapsedMs, 0) / 1_000) * BLOCKS_PER_SECOND_MAX);
}
