import type { Queryable } from "#core/db/Database.ts";

/**
 * Returns sets of a chain's collections without a mint or a sale for so many days, the longest
 * first.
 */
export async function silentSets(
	db: Queryable,
	silent: { chainId: number; days: number; limit: number },
): Promise<number[]> {
	const rows = await db.query<{ id: number }>(
		`select o.set_id as id from market_index.ownership as o
		join market_index.collection as c on c.id = o.collection_id
		where o.chain_id = $1
			and coalesce(greatest(c.last_sale_at, c.last_mint_at), '-infinity')
				< now() - $2 * interval '1 day'
		order by greatest(c.last_sale_at, c.last_mint_at) nulls first, o.set_id limit $3`,
		[silent.chainId, silent.days, silent.limit],
	);
	return rows.map(({ id }) => id);
}
