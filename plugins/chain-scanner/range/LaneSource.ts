import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { LogFilter } from "#core/chain/LogFilter.ts";
import type { ChainEvent, LaneKind, TokenMove } from "#plugins/chain-scanner/contract.ts";
import type { HeaderMemory } from "#plugins/chain-scanner/range/createHeaderMemory.ts";
import type { LogRange } from "#plugins/chain-scanner/range/LogRange.ts";
import type { BlockRange, BlockRef } from "#plugins/chain-scanner/sql/block.ts";

/** What blocks held: how many of them, the logs of the largest query, the size of all answers. */
export type BlockLoad = { blocks: number; logCount: number; answerBytes: number };

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
	/** When the first and the last block were made. */
	madeMs?: { first: number; last: number };
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
	/**
	 * Headers that were read before. Within reach of reorgs those that the range's last block proves
	 * to be its ancestors are not asked for again.
	 */
	remembered?: HeaderMemory | undefined;
	/** True where nobody asks when blocks were made: their headers are not read for it. */
	untimed?: boolean;
};

/**
 * A reading in two steps: ask for logs, decode logs. Logs that a node pushed are decoded by the
 * second step alone, before the node has been asked.
 */
export type LaneSteps = {
	/** What to ask for near the head. */
	filters: readonly LogFilter[];
	/** Asks for the logs of a range, and holds them against the headers. */
	ask(range: BlockRange, options: ReadOptions): Promise<LogRange>;
	/** Makes events of logs; asks for what they do not carry. */
	decode(read: LogRange, range: BlockRange, options: ReadOptions): Promise<RangeReading>;
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
	/** Where what nodes push may be taken in early; `read` is one after the other. */
	steps?: LaneSteps;
	/** How much a few blocks of a range hold; null where that cannot be told. */
	sample?(range: BlockRange, signal: AbortSignal): Promise<BlockLoad | null>;
};
