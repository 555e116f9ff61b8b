import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import { BLOCK_NUMBER_MAX, SECONDS_MAX } from "#core/chain/limits.ts";

const quantity = z.string().regex(/^0x[0-9a-fA-F]{1,13}$/);

const hash = z
	.string()
	.regex(/^0x[0-9a-fA-F]{64}$/)
	.transform((text) => text.toLowerCase() as Hex);

const bloom = z
	.string()
	.regex(/^0x[0-9a-fA-F]{512}$/)
	.transform((text) => text.toLowerCase() as Hex);

const headerSchema = z.object({
	number: quantity.refine((text) => Number(text) <= BLOCK_NUMBER_MAX),
	hash,
	parentHash: hash,
	timestamp: quantity.refine((text) => Number(text) <= SECONDS_MAX),
	// A head without a bloom, or with an invalid one, is still a head.
	logsBloom: bloom.nullable().catch(null),
});

/** Parses a block header from a node; null where it is not one (also for `null`: no such block). */
export function parseHead(value: unknown): Head | null {
	const header = headerSchema.safeParse(value);
	if (!header.success) return null;
	const { number, hash, parentHash, timestamp, logsBloom } = header.data;
	const timestampMs = Number(timestamp) * 1_000;
	return { number: Number(number), hash, parentHash, timestampMs, logsBloom };
}
