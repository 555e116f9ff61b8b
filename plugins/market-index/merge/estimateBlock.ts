/** A chain's pace: its newest block, the present time, and its block time. */
export type ChainPace = { headBlock: number | null; atMs: number; blockMs: number };

/** How many estimated blocks are below the chain's first: one a second, up to the year 2106. */
const SECONDS_END = 2 ** 32;

/**
 * Estimates a chain's block at a time. Later times never give lower blocks, whatever the pace.
 * Where the head is not known, or the estimate falls below block 0, it is below every real block.
 */
export function estimateBlock({ headBlock, atMs, blockMs }: ChainPace, timeMs: number): number {
	if (headBlock === null) return blockOfSecond(timeMs);
	const block = Math.floor(Math.min(headBlock - (atMs - timeMs) / blockMs, headBlock));
	return block >= 0 ? block : blockOfSecond(timeMs);
}

/**
 * Returns a block number below zero, one for each second. It orders events without a known block by
 * time, and puts them before all events that the chain tells later.
 */
export function blockOfSecond(timeMs: number): number {
	return Math.min(Math.floor(timeMs / 1_000) - SECONDS_END, -1);
}
