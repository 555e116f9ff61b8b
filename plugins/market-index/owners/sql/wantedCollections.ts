import type { Queryable } from "#core/db/Database.ts";

/**
 * Tracked collections whose owners are not kept yet, newest activity first, as many as a chain has
 * room for.
 *
 * Once a chain is full this reads a count. Until then it has few collections besides those watched.
 */
export async function wantedCollections(
	db: Queryable,
	want: { chainId: number; watchedMax: number; limit: number },
): Promise<number[]> {
	const rows = await db.query<{ id: number }>(
		`with room as (
			select $2 - count(*) as count from market_index.ownership where chain_id = $1
		)
		select c.id from market_index.collection as c
		where c.chain_id = $1 and not c.excluded and (select count from room) > 0
			and not exists (
				select from market_index.ownership as o where o.collection_id = c.id
			)
		order by greatest(c.last_sale_at, c.last_mint_at) desc nulls last, c.id
		limit least($3, greatest(0, (select count from room)))`,
		[want.chainId, want.watchedMax, want.limit],
	);
	return rows.map(({ id }) => id);
}
