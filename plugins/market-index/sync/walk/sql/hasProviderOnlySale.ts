import type { Queryable } from "#core/db/Database.ts";

/**
 * Says whether only the provider has a sale of a collection, in a time in which the chain's lanes
 * left nothing out: then no lane decodes that venue. By `unconfirmed_sale`.
 */
export async function hasProviderOnlySale(
	db: Queryable,
	{ collectionId, from, until }: { collectionId: number; from: Date; until: Date },
): Promise<boolean> {
	const rows = await db.query(
		`select from market_index.unconfirmed
		where collection_id = $1 and kind = 0 and occurred_at > $2 and occurred_at < $3 limit 1`,
		[collectionId, from, until],
	);
	return rows.length > 0;
}
