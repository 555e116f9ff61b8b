// Plans where a lane begins, and which range it reads next, upward or downward.

import type {
	LaneOptions,
	LaneState,
	Position,
	RangePlan,
} from "#plugins/chain-scanner/lane/model.ts";
import { UNSETTLED_RANGE_MAX, WINDOW_BLOCKS_MAX } from "#plugins/chain-scanner/limits.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";
import { readCursor } from "#plugins/chain-scanner/sql/cursor.ts";

/** Where a lane begins after its process started. */
export type StartPlan = {
	/** The first block it reads. */
	next: number;
	/** What it leaves to backfill; null when nothing is skipped. */
	gap: BlockRange | null;
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

/**
 * Returns where a lane continues: at its cursor, or after a restart by the restart rule.
 *
 * The rule holds until a first write has committed. If it were dropped earlier, one failing write
 * after a long absence would send the lane through the whole span in order, away from the head.
 */
export async function findPosition(
	options: LaneOptions,
	state: LaneState,
	head: number,
): Promise<Position> {
	const { chainId, db, source, scanFrom, log } = options;
	const stored = await readCursor(db, chainId, source.kind);
	const cursor = stored?.blockNumber ?? null;
	const cursorHash = stored?.blockHash ?? null;
	const { soundAt } = state;
	const fresh = { cursorHash, sound: soundAt, asked: null, ahead: [], early: null, refusals: 0 };
	const goesOn = !state.restarted || source.inOrder === true;
	if (goesOn && cursor !== null) return { cursor, next: cursor + 1, gap: null, ...fresh };
	const at = cursor === null ? Math.min(state.headLowest ?? head, head) : head;
	const plan = planStart({ cursor, head: at, scanFrom });
	if (!plan.gap) return { cursor, next: plan.next, gap: null, ...fresh };
	log.warn("the lane was far behind; backfill owes the span", { ...plan.gap });
	return { cursor, next: plan.next, gap: { range: plan.gap, reason: "restart_behind" }, ...fresh };
}

/**
 * Plans a start at the head: a first start begins there, or where the operator said. A restart
 * continues from its cursor when it is at most one window behind; else it begins at the head, so
 * that the newest rows come first, and the span between becomes a gap.
 */
export function planStart(options: {
	cursor: number | null;
	head: number;
	scanFrom: number | null;
}): StartPlan {
	const { cursor, head, scanFrom } = options;
	if (cursor === null) return { next: scanFrom ?? head, gap: null };
	const behind = head - cursor;
	if (behind <= WINDOW_BLOCKS_MAX) return { next: cursor + 1, gap: null };
	return { next: head, gap: { from: cursor + 1, to: head - 1 } };
}

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
