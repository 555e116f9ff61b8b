/** What is known of a chain's pace: its newest block, now, and how long a block takes. */
export type ChainPace = { headBlock: number | null; atMs: number; blockMs: number };

/** How many estimated blocks lie below the chain's first: one a second, up to the year 2106. */
const SECONDS_END = 2 ** 32;

/**
 * The block that a chain was about at. Later times never give lower blocks, whatever the pace.
 * Where the head is not known, or the pace ends before the time, it is below every block there is.
 */
export function estimateBlock({ headBlock, atMs, blockMs }: ChainPace, timeMs: number): number {
	if (headBlock === null) return blockOfSecond(timeMs);
	const block = Math.floor(Math.min(headBlock - (atMs - timeMs) / blockMs, headBlock));
	return block >= 0 ? block : blockOfSecond(timeMs);
}

/**
 * Returns a block number below zero, one for each second. It orders by time what has no known
 * block, and puts it before all that the chain tells later.
 */
export function blockOfSecond(timeMs: number): number {
	return Math.min(Math.floor(timeMs / 1_000) - SECONDS_END, -1);
}
