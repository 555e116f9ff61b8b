import type { Queryable } from "#core/db/Database.ts";

/**
 * Moves the time up to which events are held, unless it was set back meanwhile: a gap that was told
 * while the provider was being asked is asked for by the next run.
 */
export async function setEventsUntil(
	db: Queryable,
	move: { collectionId: number; from: Date | null; to: Date },
): Promise<void> {
	await db.execute(
		`update market_index.sync set events_until = $3
		where collection_id = $1 and events_until is not distinct from $2`,
		[move.collectionId, move.from, move.to],
	);
}
