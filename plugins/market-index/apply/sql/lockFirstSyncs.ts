import type { Tx } from "#core/db/Database.ts";

/**
 * Locks the syncs of those collections that the provider has told nothing of. Code that may remove
 * a collection locks its sync's row first, as syncs do, never after the collection's.
 */
export async function lockFirstSyncs(tx: Tx, collectionIds: readonly number[]): Promise<void> {
	await tx.execute(
		`select from market_index.sync as s
		join market_index.collection as c on c.id = s.collection_id and c.last_provider_at is null
		where s.collection_id = any($1::int4[]) order by s.collection_id for update of s`,
		[collectionIds],
	);
}
