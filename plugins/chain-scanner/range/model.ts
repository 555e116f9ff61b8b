// Declares what a lane reads of a range, and the sources that read it.

import type { Address, Hex, LogFilter, RawLog } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { ChainEvent, LaneKind, TokenMove } from "#plugins/chain-scanner/contract.ts";
import type { BlockRange, BlockRef } from "#plugins/chain-scanner/sql/block.ts";

/**
 * The content of blocks: how many of them, the logs of the largest query, the size of all answers.
 */
export type BlockLoad = { blocks: number; logCount: number; answerBytes: number };

/** Holds the moves that the transfer lane read of a span. */
export type MoveReading = {
	watched: readonly Address[];
	/** In chain order. */
	moves: TokenMove[];
	unsettledFrom: number;
};

/** Everything that a lane reads of a span. */
export type RangeReading = {
	range: BlockRange;
	/** In chain order. */
	events: ChainEvent[];
	/** The transfer lane's moves, instead of events. */
	moved?: MoveReading;
	/** Blocks to keep for linking: those within reach of reorgs, and the last of the range. */
	blocks: BlockRef[];
	/** The parent of the range's first block. */
	parentHash: Hex;
	/** The times of the first and the last block. */
	madeMs?: { first: number; last: number };
	/** Logs of the largest query, and the size of all answers: the window adapts to it. */
	logCount: number;
	answerBytes: number;
	/** Reports what did not decode. Called once the range is committed: a range may be read twice. */
	report(): void;
};

export type ReadOptions = {
	signal: AbortSignal;
	/** The first block that a reorg may still remove: from it on each block's header is read. */
	unsettledFrom: number;
	/** The node must have this block too: that is what makes the range a settled one. */
	settledBy?: number | null;
	/** The head as it was announced: a range of just this block is read by its hash. */
	head?: Head | null;
	/**
	 * Headers that were read before. Within reach of reorgs those that the range's last block proves
	 * to be its ancestors are not requested again.
	 */
	remembered?: HeaderMemory | undefined;
	/** True where the blocks' times are not needed: their headers are not read for it. */
	untimed?: boolean;
	/** Says of the logs' blocks which are read whole: their headers need no call of their own. */
	isWhole?: (logs: readonly RawLog[]) => WholeBlocks | Promise<WholeBlocks>;
};

/**
 * A reading in two steps: request logs, decode logs. Pushed logs are decoded by the second step
 * alone, before the node has been asked.
 */
export type LaneSteps = {
	/** Filters of the logs to request near the head. */
	filters: readonly LogFilter[];
	/** Requests the logs of a range, and compares them with the headers. */
	ask(range: BlockRange, options: ReadOptions): Promise<LogRange>;
	/** Makes events of logs; reads what they do not contain. */
	decode(read: LogRange, range: BlockRange, options: ReadOptions): Promise<RangeReading>;
};

/** Reads what one lane needs. Throws `rpcFault`s and `rpc_inconsistent`; never skips a log. */
export type LaneSource = {
	kind: LaneKind;
	/**
	 * True for a lane that follows the others: a restart far behind continues in order and leaves no
	 * span to backfill, and at the head the others read a new block first.
	 */
	inOrder?: boolean;
	read(range: BlockRange, options: ReadOptions): Promise<RangeReading>;
	/** Set where pushed logs may be stored early; `read` runs both steps. */
	steps?: LaneSteps;
	/** True where calls are billed or limited: then ranges are larger, and fewer are read ahead. */
	isScarce?(): boolean;
	/** Samples how much a few blocks of a range contain; null where that is not known. */
	sample?(range: BlockRange, signal: AbortSignal): Promise<BlockLoad | null>;
};

/** Says of a block whether it is read with its transactions. */
type WholeBlocks = (block: number) => boolean;

/** What was read before of blocks within reach of reorgs: headers by number, values by hash. */
export type HeaderMemory = {
	/**
	 * Returns the headers of the blocks from a number up to just below a given one, linked down by
	 * the parents' hashes until one is missing. They are ancestors of that block, whatever fork the
	 * node is on; in ascending order.
	 */
	below(child: Head, from: number): Head[];
	/** Returns whether a block with this number is remembered, of any fork. */
	has(number: number): boolean;
	keep(headers: readonly Head[]): void;
	/**
	 * Returns the answer about a block that somebody has just requested, undefined if that failed;
	 * null where nobody has, or not with its transactions where they are wanted.
	 */
	reading(number: number, whole: boolean): Promise<unknown> | null;
	/** Says which blocks are being requested. */
	announce(
		numbers: readonly number[],
		isWhole: (number: number) => boolean,
		answers: Promise<ReadonlyMap<number, unknown>>,
	): void;
	/**
	 * Keeps what a block's transactions paid, in hex, from a block that was read whole. The total is
	 * bounded: the oldest blocks are dropped.
	 */
	keepValues(blockHash: Hex, values: ReadonlyMap<string, string>): void;
	/** Returns those values by the transactions' hashes, once; then they are no longer kept. */
	takeValues(blockHash: Hex): ReadonlyMap<string, string> | null;
	/** Reports how many blocks of a span had so many mints that they are read whole. */
	noteWhole(seen: { blocks: number; whole: number }): void;
	/**
	 * Returns true where most blocks are read whole: then one that is needed is read so at once.
	 * Waits a little, once, where nobody has reported any yet.
	 */
	areMostWhole(signal: AbortSignal): Promise<boolean>;
	clear(): void;
};

/** The logs of a range with what must be known of its blocks. */
export type LogRange = {
	/** In chain order, all filters together. */
	logs: RawLog[];
	/** Linked, in ascending order: those within reach of reorgs, the first and the last. */
	headers: readonly Head[];
	blocks: BlockRef[];
	parentHash: Hex;
	/** The times of the first and the last block. */
	madeMs: { first: number; last: number };
	/** Logs of the largest single answer, and the approximate size of all. */
	logCount: number;
	answerBytes: number;
	/** The time of each block with a log. */
	blockTimeMs: ReadonlyMap<number, number>;
};
