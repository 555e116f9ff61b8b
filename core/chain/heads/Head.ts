// Parses block headers, and says how far a chain can have grown.

import { z } from "zod";
import { BLOCK_NUMBER_MAX, type Hex, type LogFilter, SECONDS_MAX } from "#core/chain/Hex.ts";
import { anyCaseWordSchema } from "#core/chain/hexSchemas.ts";

/** A block by its header. */
export type Head = {
	number: number;
	hash: Hex;
	parentHash: Hex;
	timestampMs: number;
	/** Null if the node omitted it, or sent an invalid one: then it rules nothing out. */
	logsBloom: Hex | null;
};

/**
 * A listener to logs that a node pushes (`eth_subscribe`). One chain's sockets serve all of its
 * listeners, each with filters as narrow as possible.
 */
export type LogListener = {
	filters: readonly LogFilter[];
	/**
	 * Called with a log as received: unchecked, and perhaps from a dead fork, twice, without others
	 * of its block, or never. Early data, to be compared with what the node answers when asked.
	 */
	onLog(log: unknown): void;
};

/**
 * Limits how many blocks a node may be ahead: other nodes may be restarting, or have lost the
 * chain.
 */
const AHEAD_MAX = 2_000;
/** Limits the speed of chains: the fastest known one makes ten blocks in a second. */
const BLOCKS_PER_SECOND_MAX = 20;

const quantity = z.string().regex(/^0x[0-9a-fA-F]{1,13}$/);

const bloom = z
	.string()
	.regex(/^0x[0-9a-fA-F]{512}$/)
	.transform((text) => text.toLowerCase() as Hex);

const headerSchema = z.object({
	number: quantity.refine((text) => Number(text) <= BLOCK_NUMBER_MAX),
	hash: anyCaseWordSchema,
	parentHash: anyCaseWordSchema,
	timestamp: quantity.refine((text) => Number(text) <= SECONDS_MAX),
	// A head without a bloom, or with an invalid one, is still a head.
	logsBloom: bloom.nullable().catch(null),
});

/**
 * Returns how many blocks a chain can grow in `elapsedMs`, plus a tolerance. A head beyond that
 * needs a second answer that agrees: otherwise a single false one would make every honest node look
 * behind, and every receipt look final.
 */
export function blocksAheadMax(elapsedMs: number): number {
	return AHEAD_MAX + Math.ceil((Math.max(elapsedMs, 0) / 1_000) * BLOCKS_PER_SECOND_MAX);
}

/** Parses a block header from a node; null where it is not one (also for `null`: no such block). */
export function parseHead(value: unknown): Head | null {
	const header = headerSchema.safeParse(value);
	if (!header.success) return null;
	const { number, hash, parentHash, timestamp, logsBloom } = header.data;
	const timestampMs = Number(timestamp) * 1_000;
	return { number: Number(number), hash, parentHash, timestampMs, logsBloom };
}
