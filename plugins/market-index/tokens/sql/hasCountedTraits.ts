import type { Queryable } from "#core/db/Database.ts";

/** Whether a collection's traits were ever counted; by primary key. */
export async function hasCountedTraits(db: Queryable, collectionId: number): Promise<boolean> {
	const rows = await db.query(
		"select from market_index.sync where collection_id = $1 and traits_at is not null",
		[collectionId],
	);
	return rows.length > 0;
}
