import { UNSETTLED_RANGE_MAX } from "#plugins/chain-scanner/limits.ts";
import type { ReadOptions } from "#plugins/chain-scanner/range/LaneSource.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

export type RangePlan = {
	range: BlockRange;
	read: Required<Pick<ReadOptions, "unsettledFrom" | "settledBy">>;
};

/**
 * Plans the next range upward: wholly below the reach of reorgs, or wholly within it. Within it
 * ranges are short, because every block's header is read with them.
 */
export function planRange(ask: {
	from: number;
	head: number;
	blocksMax: number;
	reorgDepthMax: number;
}): RangePlan {
	const { from, head, blocksMax, reorgDepthMax } = ask;
	const unsettledFrom = head - reorgDepthMax + 1;
	if (from >= unsettledFrom) {
		const to = Math.min(from + Math.min(blocksMax, UNSETTLED_RANGE_MAX) - 1, Math.max(head, from));
		return { range: { from, to }, read: { unsettledFrom, settledBy: null } };
	}
	const to = Math.min(from + blocksMax - 1, unsettledFrom - 1);
	return { range: { from, to }, read: { unsettledFrom, settledBy: to + reorgDepthMax } };
}
