import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import type { BlockRef } from "#plugins/chain-scanner/sql/block.ts";

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
