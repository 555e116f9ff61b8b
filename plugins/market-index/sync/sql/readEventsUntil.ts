import type { Queryable } from "#core/db/Database.ts";

/** Up to when the provider's events of a collection are held; null before it was ever asked. */
export async function readEventsUntil(db: Queryable, collectionId: number): Promise<Date | null> {
	const rows = await db.query<{ until: Date | null }>(
		"select events_until as until from market_index.sync where collection_id = $1",
		[collectionId],
	);
	return rows[0]?.until ?? null;
}
