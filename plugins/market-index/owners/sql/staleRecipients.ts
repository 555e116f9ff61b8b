import type { Queryable } from "#core/db/Database.ts";
import { countedSql } from "#plugins/market-index/owners/sql/countedSql.ts";

/**
 * Returns collections whose recipients must be counted again: no better source knows their owners,
 * and they have other events than were counted. A collection with many events waits longer, a
 * second for each thousand, so that counting takes a thousandth of the time at most.
 */
export async function staleRecipients(db: Queryable, limit: number): Promise<number[]> {
	const rows = await db.query<{ id: number }>(
		`select c.id from market_index.collection as c
		left join market_index.recipients as r on r.collection_id = c.id
		left join market_index.ownership as o
			on o.collection_id = c.id and o.next_block > o.end_block and o.minted > 0
		where not c.excluded and c.provider_owners is null and o.collection_id is null
			and c.mints + c.sales > 0 and r.counted is distinct from ${countedSql()}
			and (r.counted_at is null or r.counted_at <= clock_timestamp()
				- greatest(10, (c.mints + c.sales) / 1000) * interval '1 second')
		order by greatest(c.last_sale_at, c.last_mint_at) desc nulls last
		limit $1`,
		[limit],
	);
	return rows.map(({ id }) => id);
}
