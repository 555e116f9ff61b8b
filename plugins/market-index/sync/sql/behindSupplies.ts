import type { Queryable } from "#core/db/Database.ts";

/**
 * Returns collections with more mints than when their contract was last asked, latest mints first.
 */
export async function behindSupplies(
	db: Queryable,
	{ chainIds, limit }: { chainIds: readonly number[]; limit: number },
): Promise<number[]> {
	const rows = await db.query<{ id: number }>(
		`select id from market_index.collection
		where chain_id = any($1::int8[]) and not excluded and mints > supply_mints
		order by last_mint_at desc nulls last limit $2`,
		[chainIds, limit],
	);
	return rows.map(({ id }) => id);
}
