/** What is known of a chain's pace: its newest block, now, and how long a block takes. */
export type ChainPace = { headBlock: number; atMs: number; blockMs: number };

/** No chain of ours is older. */
const FIRST_BLOCK_MS = Date.UTC(2015, 6, 30);

/**
 * The block that a chain was about at. Later times never give lower blocks, whatever the pace: for
 * times that the pace would put below half of the chain, what is left of it is spread over what is
 * left of its time.
 */
export function estimateBlock({ headBlock, atMs, blockMs }: ChainPace, timeMs: number): number {
	const even = headBlock - (atMs - timeMs) / blockMs;
	const half = headBlock / 2;
	const halfMs = atMs - half * blockMs;
	if (even >= half) return Math.floor(Math.min(even, headBlock));
	if (halfMs <= FIRST_BLOCK_MS) return Math.max(0, Math.floor(even));
	const share = (timeMs - FIRST_BLOCK_MS) / (halfMs - FIRST_BLOCK_MS);
	return Math.max(0, Math.floor(half * share));
}
