import type { Queryable } from "#core/db/Database.ts";

/** Reads when a collection's traits were last counted; null: never. By primary key. */
export async function readTraitsAt(db: Queryable, collectionId: number): Promise<Date | null> {
	const rows = await db.query<{ traits_at: Date | null }>(
		"select traits_at from market_index.sync where collection_id = $1",
		[collectionId],
	);
	return rows[0]?.traits_at ?? null;
}
