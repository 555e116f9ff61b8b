import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { Early } from "#plugins/chain-scanner/early/storeEarly.ts";
import type { LogWindow } from "#plugins/chain-scanner/lane/createLogWindow.ts";
import type { RangeReading } from "#plugins/chain-scanner/range/LaneSource.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";
import type { GapReason } from "#plugins/chain-scanner/sql/gap.ts";

/** A range that was asked for, and the answer on its way. */
export type Asked = {
	range: BlockRange;
	reading: Promise<RangeReading>;
	/** The same block as it was pushed, where that is there before the answer; else null. */
	early?: Promise<RangeReading | null>;
};

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
	/** What is stored and not confirmed; the next write of the lane settles it. */
	early: Early | null;
	/** How often in a row the smallest range at `next` was refused. */
	refusals: number;
};

/** One lane's memory, between its runs. */
export type LaneState = {
	/** The newest word on where the head is. It may go back: whoever said more was wrong. */
	head: Head | null;
	/** The lowest head heard: a first start begins there, however long its first write takes. */
	headLowest: number | null;
	/** When the head was last heard, also where it was the same; null before the first. */
	heardAtMs: number | null;
	/** Until when it is stored that this block is the head: by writing it, then by `noteLevel`. */
	level: { block: number; atMs: number } | null;
	window: LogWindow;
	/** The token of the lease as the lane last saw it; null while it has none. */
	heldToken: number | null;
	/** True until a write has succeeded since the lease was taken: the restart rule applies. */
	restarted: boolean;
	position: Position | null;
	/** What the next position is `sound` by: a repair that ended just now has proven it. */
	soundAt: Hex | null;
	/** The block that was last stored early, or tried: once is enough. */
	earlyTried: Hex | null;
	/** True where another lane may have set the cursor back: the next turn looks. */
	isDoubted: boolean;
	/** Failures in a row, refusals of a range left out. */
	failures: number;
	/** True once this row of failures has its line in the log. */
	complained: boolean;
};
