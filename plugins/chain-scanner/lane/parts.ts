import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import { assert } from "#core/fault.ts";
import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import type { Early } from "#plugins/chain-scanner/early/storeEarly.ts";
import type { LogWindow } from "#plugins/chain-scanner/lane/splitRange.ts";
import type { RangeReading } from "#plugins/chain-scanner/range/readRange.ts";
import type { BlockRange, BlockRef } from "#plugins/chain-scanner/sql/block.ts";
import type { GapReason } from "#plugins/chain-scanner/sql/gap.ts";

/** A requested range, with its pending answer. */
export type Asked = {
	range: BlockRange;
	reading: Promise<RangeReading>;
	/** The same block as it was pushed, if that arrives before the answer; else null. */
	early?: Promise<RangeReading | null>;
};

/** What a lane knows while it holds its lease. Forgotten whenever that may no longer be true. */
export type Position = {
	/** The stored cursor; null before the first write. */
	cursor: number | null;
	/** The hash of the block at the cursor: the next reading must link to it. */
	cursorHash: Hex | null;
	/**
	 * The head by which the cursor's chain was last verified, or null: then the node must be asked
	 * whether what is stored is still of its chain before anything is added.
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
	/** The newest head that was announced. It may go back: an earlier announcement was wrong. */
	head: Head | null;
	/** The lowest announced head: a first start begins there, however long its first write takes. */
	headLowest: number | null;
	/** When a head was last announced, even the same one; null before the first. */
	heardAtMs: number | null;
	/** Until when it is stored that this block is the head: by writing it, then by `noteLevel`. */
	level: { block: number; atMs: number } | null;
	window: LogWindow;
	/** The token of the lease as the lane last saw it; null while it has none. */
	heldToken: number | null;
	/** True until a write has succeeded since the lease was taken: the restart rule applies. */
	restarted: boolean;
	position: Position | null;
	/** The head that the next position is `sound` by: a repair that just ended has proven it. */
	soundAt: Hex | null;
	/** The block that was last stored early, or tried: once is enough. */
	earlyTried: Hex | null;
	/** True where another lane may have set the cursor back: the next turn checks. */
	isDoubted: boolean;
	/** Failures in a row, without refused ranges. */
	failures: number;
	/** True once this row of failures has its line in the log. */
	complained: boolean;
};

/** What a part of a reading adds to the blocks that the index keeps for linking. */
export type PartBlocks = {
	blocks: BlockRef[];
	toHash: Hex;
	pruneBelow: number;
	/**
	 * Blocks that may leave the chain cannot be so far below another stored one: even if that one is
	 * about to leave, they would have settled, and a node that knows it would have said so.
	 */
	outdatedBy: number | null;
};

/** The times of a part's first and last block; null where only the range's are known. */
export type PartTimes = { firstMs: number | null; lastMs: number | null };

type Part = {
	range: BlockRange;
	events: readonly Pick<ChainEvent, "blockNumber" | "blockHash">[];
};

/**
 * Returns the blocks of a part. Each part ends with a stored block, which the next one must link
 * to. A part of a settled range ends with its last event's block, whose header was not read.
 */
export function partBlocks(
	{ range, events }: Part,
	reading: Pick<RangeReading, "blocks">,
	reorgDepthMax: number,
): PartBlocks {
	const blocks = reading.blocks.filter(({ number }) => number >= range.from && number <= range.to);
	const known = blocks.at(-1);
	const settled = { pruneBelow: range.to, outdatedBy: null };
	if (known?.number === range.to) {
		const unsettled = {
			pruneBelow: range.to - reorgDepthMax,
			outdatedBy: range.to + 2 * reorgDepthMax,
		};
		return { blocks, toHash: known.hash, ...(known.settled ? settled : unsettled) };
	}
	const last = events.at(-1);
	assert(last?.blockNumber === range.to, "a part ends with the range or with an event");
	const end = { number: range.to, hash: last.blockHash, parentHash: null, settled: true };
	return { blocks: [...blocks, end], toHash: last.blockHash, ...settled };
}

/**
 * Returns the times of a part's ends. A reading knows its own ends; a part within it ends with its
 * last event's block.
 */
export function partTimes(
	{ range, events }: { range: BlockRange; events: readonly Pick<ChainEvent, "occurredAtMs">[] },
	reading: Pick<RangeReading, "range" | "madeMs">,
): PartTimes {
	const { madeMs } = reading;
	const isFirst = range.from === reading.range.from;
	const isLast = range.to === reading.range.to;
	return {
		firstMs: isFirst ? (madeMs?.first ?? null) : null,
		lastMs: isLast ? (madeMs?.last ?? null) : (events.at(-1)?.occurredAtMs ?? null),
	};
}
