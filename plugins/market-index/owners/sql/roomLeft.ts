import type { Queryable } from "#core/db/Database.ts";

/**
 * Returns how many more contracts of a chain may be watched; below zero after the operator lowered
 * the limit.
 */
export async function roomLeft(
	db: Queryable,
	{ chainId, watchedMax }: { chainId: number; watchedMax: number },
): Promise<number> {
	const rows = await db.query<{ count: number }>(
		"select count(*)::int as count from market_index.ownership where chain_id = $1",
		[chainId],
	);
	return watchedMax - (rows[0]?.count ?? 0);
}
