import type { Queryable } from "#core/db/Database.ts";

/**
 * Returns the provider's stats of a collection as they were sent, by primary key. Not read for
 * lists.
 */
export async function readProviderStats(db: Queryable, collectionId: number): Promise<unknown> {
	const rows = await db.query<{ stats: unknown }>(
		"select provider_stats as stats from market_index.collection where id = $1",
		[collectionId],
	);
	return rows[0]?.stats ?? null;
}
