import { blockOfSecond } from "#plugins/market-index/merge/estimateBlock.ts";

/** An event of the same collection and kind, and the block that it stands in. */
export type Neighbour = { blockNumber: number; occurredAtMs: number };

/**
 * An estimated block, held to where events before and after it stand: what happened later must not
 * stand earlier, or it would open a candle that another opened.
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
