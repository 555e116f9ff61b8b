import type { Queryable } from "#core/db/Database.ts";

/**
 * Says whether a collection's first walk is done, or impossible because its slug is not known. A
 * walk that ended without any event is done as well; later turns try again.
 */
export async function isWalked(db: Queryable, collectionId: number): Promise<boolean> {
	const rows = await db.query(
		`select from market_index.sync where collection_id = $1
			and (events_until is not null or provider_slug is null
				or (walk_until is null and walk_pages > 0))`,
		[collectionId],
	);
	return rows.length > 0;
}
