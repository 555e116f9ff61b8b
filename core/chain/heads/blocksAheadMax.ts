/** What a node may be ahead at any time: others of the chain are restarted, or have lost it. */
const AHEAD_MAX = 2_000;
/** No chain makes blocks faster: the fastest that is known here makes ten in a second. */
const BLOCKS_PER_SECOND_MAX = 20;

/**
 * How many blocks further than a head of `elapsedMs` ago a chain can be now. A head beyond that
 * needs a second answer that agrees: a single false one would make every honest node look behind,
 * and every receipt deep enough.
 */
export function blocksAheadMax(elapsedMs: number): number {
	return AHEAD_MAX + Math.ceil((Math.max(elapsedMs, 0) / 1_000) * BLOCKS_PER_SECOND_MAX);
}
