import { z } from "zod";
import type { FrameBatch } from "#core/outbox/Frame.ts";

const batchSchema = z.object({
	topic: z.string().min(1),
	seqFirst: z.int().min(1),
	atMs: z.number(),
	frames: z.array(z.object({ type: z.string(), data: z.unknown() })).min(1),
});

/**
 * Reads what the bus announced; undefined where it is no batch of ours.
 *
 * Another version of this service may share the bus, so what cannot be read is no failure: the
 * frames are in PostgreSQL, and are found there.
 */
export function parseHint(text: string): FrameBatch | undefined {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return undefined;
	}
	return batchSchema.safeParse(value).data;
}
