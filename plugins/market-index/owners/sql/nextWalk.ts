import type { Queryable } from "#core/db/Database.ts";
import type { Walk } from "#plugins/chain-scanner/contract.ts";

/**
 * Returns the unfinished walk of the most recently active collection; a chain has a few hundred.
 */
export async function nextWalk(db: Queryable, chainId: number): Promise<Walk | null> {
	const rows = await db.query<Walk>(
		`select o.set_id as id, '0x' || encode(o.address, 'hex') as contract,
			o.next_block as "nextBlock", o.end_block as "endBlock"
		from market_index.ownership as o
		join market_index.collection as c on c.id = o.collection_id
		where o.chain_id = $1 and coalesce(o.next_block, 0) <= o.end_block
			and (o.rest_until is null or o.rest_until <= clock_timestamp())
		order by greatest(c.last_sale_at, c.last_mint_at) desc nulls last, o.collection_id
		limit 1`,
		[chainId],
	);
	return rows[0] ?? null;
}
