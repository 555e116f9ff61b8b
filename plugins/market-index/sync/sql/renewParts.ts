import type { Tx } from "#core/db/Database.ts";

/**
 * Makes first syncs that only wait for their first day read all other parts again, as that day
 * takes long with a busy list. A sync under way, or without a part, keeps its parts.
 */
export async function renewParts(tx: Tx, collectionIds: readonly number[]): Promise<void> {
	await tx.execute(
		`update market_index.sync as s set parts = null
		from market_index.collection as c
		where c.id = s.collection_id and s.collection_id = any($1::int4[])
			and s.synced_at is null and s.started_at is null and s.parts is not null
			and c.sync_status = 'syncing'`,
		[collectionIds],
	);
}
