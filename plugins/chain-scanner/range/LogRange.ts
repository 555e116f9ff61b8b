import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { RawLog } from "#core/chain/RawLog.ts";
import type { BlockRef } from "#plugins/chain-scanner/sql/block.ts";

/** The logs of a range with what has to be known of its blocks. */
export type LogRange = {
	/** In chain order, all filters together. */
	logs: RawLog[];
	/** Linked, in ascending order: those within reach of reorgs, the first and the last. */
	headers: readonly Head[];
	blocks: BlockRef[];
	parentHash: Hex;
	/** When the first and the last block were made. */
	madeMs: { first: number; last: number };
	/** Logs of the largest single answer, and about the size of all. */
	logCount: number;
	answerBytes: number;
	/** When each block with a log was made. */
	blockTimeMs: ReadonlyMap<number, number>;
};
