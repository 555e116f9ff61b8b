import { WINDOW_BLOCKS_MAX } from "#plugins/chain-scanner/limits.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

/** Where a lane begins after its process started. */
export type StartPlan = {
	/** The first block it reads. */
	next: number;
	/** What it leaves to backfill; null when nothing is skipped. */
	gap: BlockRange | null;
};

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
