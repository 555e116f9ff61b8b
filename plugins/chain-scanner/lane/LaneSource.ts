import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { ChainEvent, LaneKind, TokenMove } from "#plugins/chain-scanner/contract.ts";
import type { BlockLoad } from "#plugins/chain-scanner/lane/createLogWindow.ts";
import type { BlockRef } from "#plugins/chain-scanner/sql/block.ts";

/** A span of blocks, both ends included. */
export type BlockRange = { from: number; to: number };

/** What the transfer lane saw of a span. */
export type MoveReading = {
	watched: readonly Address[];
	/** In chain order. */
	moves: TokenMove[];
	unsettledFrom: number;
};

/** Everything a lane wants to know about a span. */
export type RangeReading = {
	range: BlockRange;
	/** In chain order. */
	events: ChainEvent[];
	/** The transfer lane's, instead of events. */
	moved?: MoveReading;
	/** What the index will stand on: blocks within reach of reorgs, and the last of the range. */
	blocks: BlockRef[];
	/** The block below the range, as its first block says. */
	parentHash: Hex;
	/** Logs that the largest query answered, and the size of all answers: the window adapts to it. */
	logCount: number;
	answerBytes: number;
	/** Says what did not decode. Called once the range is committed: a range may be read twice. */
	report(): void;
};

export type ReadOptions = {
	signal: AbortSignal;
	/** From this block on blocks may still leave the chain, and each one's header is read. */
	unsettledFrom: number;
	/** The node must have this block too: that is what makes the range a settled one. */
	settledBy?: number | null;
	/** The head as it was announced: a range of just this block is read by its hash. */
	head?: Head | null;
	/** True where nobody asks when blocks were made: their headers are not read for it. */
	untimed?: boolean;
};

/** Reads what one lane is after. Throws `rpcFault`s and `rpc_inconsistent`; never skips a log. */
export type LaneSource = {
	kind: LaneKind;
	/**
	 * True for a lane that follows the others: a restart far behind goes on in order and leaves no
	 * span to backfill, and at the head the others have a new block first.
	 */
	inOrder?: boolean;
	read(range: BlockRange, options: ReadOptions): Promise<RangeReading>;
	/** How much a few blocks of a range hold; null where that cannot be told. */
	sample?(range: BlockRange, signal: AbortSignal): Promise<BlockLoad | null>;
};
