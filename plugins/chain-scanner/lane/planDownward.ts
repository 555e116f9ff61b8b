import type { RangePlan } from "#plugins/chain-scanner/lane/planRange.ts";
import { UNSETTLED_RANGE_MAX } from "#plugins/chain-scanner/limits.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

/**
 * Plans the next range from the top of a gap: wholly below the reach of reorgs, or wholly within
 * it, as lanes read upward.
 */
export function planDownward(ask: {
	gap: BlockRange;
	head: number;
	blocksMax: number;
	reorgDepthMax: number;
}): RangePlan {
	const { gap, head, blocksMax, reorgDepthMax } = ask;
	const { to } = gap;
	const unsettledFrom = head - reorgDepthMax + 1;
	if (to >= unsettledFrom) {
		const lowest = to - Math.min(blocksMax, UNSETTLED_RANGE_MAX) + 1;
		const from = Math.max(gap.from, lowest, unsettledFrom);
		return { range: { from, to }, read: { unsettledFrom, settledBy: null } };
	}
	const from = Math.max(gap.from, to - blocksMax + 1);
	return { range: { from, to }, read: { unsettledFrom, settledBy: to + reorgDepthMax } };
}
