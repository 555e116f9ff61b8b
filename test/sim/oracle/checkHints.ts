import type { Queryable } from "#core/db/Database.ts";
import type { FrameBatch } from "#core/outbox/Frame.ts";

/** Whatever the bus announced must be in the log, to the letter: nothing that was rolled back. */
export async function checkHints(db: Queryable, messages: readonly string[]): Promise<string[]> {
	const wrong: string[] = [];
	const batches = messages.map((message): FrameBatch => JSON.parse(message));
	const stored = await db.query<{ key: string; frames: string }>(
		`select topic || ' ' || seq_first as key, frames from core.stream_frame
		where topic = any($1::text[])`,
		[[...new Set(batches.map(({ topic }) => topic))]],
	);
	const framesOf = new Map(stored.map(({ key, frames }) => [key, frames]));
	for (const { topic, seqFirst, frames } of batches) {
		if (framesOf.get(`${topic} ${seqFirst}`) === JSON.stringify(frames)) continue;
		wrong.push(`${topic}: ${seqFirst} was announced and is not in the log`);
	}
	return wrong;
}
