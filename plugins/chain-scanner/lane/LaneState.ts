import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { LogWindow } from "#plugins/chain-scanner/lane/createLogWindow.ts";
import type { BlockRange, RangeReading } from "#plugins/chain-scanner/lane/LaneSource.ts";
import type { GapReason } from "#plugins/chain-scanner/sql/gap.ts";

/** A range that was asked for, and the answer on its way. */
export type Asked = { range: BlockRange; reading: Promise<RangeReading> };

/** What a lane knows while it holds its lease. Forgotten whenever that may no longer be true. */
export type Position = {
	/** What the stored cursor says; null before the first write. */
	cursor: number | null;
	/** The block at the cursor: what is read next has to follow on it. */
	cursorHash: Hex | null;
	/**
	 * The block that was last compared with the cursor's chain, or null: whether what is stored is
	 * still of the node's chain must be asked before anything is built on it.
	 */
	sound: Hex | null;
	next: number;
	/** Written with the next range, so that a skipped span and the skip commit together. */
	gap: { range: BlockRange; reason: GapReason } | null;
	/** The range under way, or that failed last. */
	asked: BlockRange | null;
	/** The ranges after it, fetched while it is written. */
	ahead: Asked[];
	/** How often in a row the smallest range at `next` was refused. */
	refusals: number;
};

/** One lane's memory, between its runs. */
export type LaneState = {
	/** The newest word on where the head is. It may go back: whoever said more was wrong. */
	head: Head | null;
	/** The lowest head heard: a first start begins there, however long its first write takes. */
	headLowest: number | null;
	window: LogWindow;
	/** The token of the lease as the lane last saw it; null while it has none. */
	heldToken: number | null;
	/** True until a write has succeeded since the lease was taken: the restart rule applies. */
	restarted: boolean;
	position: Position | null;
	/** Failures in a row, refusals of a range left out. */
	failures: number;
	/** True once this row of failures has its line in the log. */
	complained: boolean;
};
