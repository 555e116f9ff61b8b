import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

/**
 * The progress of a requested span. Blocks count once for each lane.
 *
 * - `draining`: this process reads.
 * - `watching`: another process holds the chain's backfill, and reads.
 * - `waiting`: the last attempt failed, by `trouble`; it is retried.
 */
export type BackfillProgress = {
	chain: string;
	range: BlockRange;
	state: "draining" | "watching" | "waiting" | "done" | "refused" | "interrupted";
	trouble: string | null;
	blocksAll: number;
	blocksLeft: number;
	/** Set aside because the node or the database refused them. */
	blocksRefused: number;
	/** Mints and sales in what this process read. */
	events: number;
	/** Since this start; null while it is not known. */
	blocksPerSecond: number | null;
	secondsLeft: number | null;
};
