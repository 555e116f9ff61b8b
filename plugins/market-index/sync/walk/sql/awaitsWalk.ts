import type { Queryable } from "#core/db/Database.ts";

/** Says whether a collection's first sync only waits for its events. */
export async function awaitsWalk(db: Queryable, collectionId: number): Promise<boolean> {
	const rows = await db.query(
		`select from market_index.sync as s join market_index.collection as c on c.id = s.collection_id
		where s.collection_id = $1 and s.synced_at is null and s.started_at is null
			and c.sync_status = 'syncing'`,
		[collectionId],
	);
	return rows.length > 0;
}
