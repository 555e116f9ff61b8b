import { blockOfSecond } from "#plugins/market-index/merge/estimateBlock.ts";

/** An event of the same collection and kind, with its block. */
export type Neighbour = { blockNumber: number; occurredAtMs: number };

/**
 * Returns an estimated block, limited by the blocks of the events before and after it: a later
 * event must not have a lower block, or it would open a candle that another event opened.
 */
export function blockBetween(options: {
	estimate: number;
	occurredAtMs: number;
	before: Neighbour | null;
	after: Neighbour | null;
	blockMs: number;
}): number {
	const { estimate, occurredAtMs: atMs, before, after, blockMs } = options;
	if (before?.occurredAtMs === atMs) return before.blockNumber;
	const low = before?.blockNumber ?? Number.NEGATIVE_INFINITY;
	const high = after?.blockNumber ?? Number.POSITIVE_INFINITY;
	if (estimate > low && estimate < high) return estimate;
	if (before && after) {
		const share = (atMs - before.occurredAtMs) / (after.occurredAtMs - before.occurredAtMs);
		return Math.floor(low + Math.max(0, high - low) * share);
	}
	if (before) return low + Math.ceil((atMs - before.occurredAtMs) / blockMs);
	if (!after) return estimate;
	const block = high - Math.ceil((after.occurredAtMs - atMs) / blockMs);
	return block >= 0 ? block : Math.min(blockOfSecond(atMs), high);
}
