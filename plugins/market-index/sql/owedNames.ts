import type { Queryable } from "#core/db/Database.ts";

/**
 * Returns a chain's collections whose contracts were never asked what they say, the lowest ids
 * first; by the index `collection_lacking`.
 */
export async function owedNames(
	db: Queryable,
	{ chainId, afterId, limit }: { chainId: number; afterId: number; limit: number },
): Promise<number[]> {
	const rows = await db.query<{ id: number }>(
		`select id from market_index.collection
		where chain_id = $1 and metadata_at is null and not excluded and id > $2
		order by id limit $3`,
		[chainId, afterId, limit],
	);
	return rows.map(({ id }) => id);
}
