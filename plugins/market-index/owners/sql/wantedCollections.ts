import type { Queryable } from "#core/db/Database.ts";

/**
 * Returns tracked collections whose owners are not kept yet, newest activity first. `activeDays`
 * leaves out those without any in so many days: by `collection_last_mint` and
 * `collection_last_sale`.
 */
export async function wantedCollections(
	db: Queryable,
	want: { chainId: number; limit: number; activeDays: number | null },
): Promise<number[]> {
	const rows = await db.query<{ id: number }>(
		`select c.id from market_index.collection as c
		where c.chain_id = $1 and not c.excluded
			and ($3::int4 is null
				or c.last_mint_hour >= now() - $3 * interval '1 day'
				or c.last_sale_hour >= now() - $3 * interval '1 day')
			and not exists (
				select from market_index.ownership as o where o.collection_id = c.id
			)
		order by greatest(c.last_sale_at, c.last_mint_at) desc nulls last, c.id
		limit $2`,
		[want.chainId, want.limit, want.activeDays],
	);
	return rows.map(({ id }) => id);
}
