import { z } from "zod";
import type { FrameBatch } from "#core/outbox/Frame.ts";

const batchSchema = z.object({
	topic: z.string().min(1),
	seqFirst: z.int().min(1),
	atMs: z.number(),
	frames: z.array(z.object({ type: z.string(), data: z.unknown() })).min(1),
});

/**
 * Parses an announcement of the bus; undefined where it is no batch of ours.
 *
 * Another version of this service may share the bus, so an unreadable one is no failure: its frames
 * are read from PostgreSQL.
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
