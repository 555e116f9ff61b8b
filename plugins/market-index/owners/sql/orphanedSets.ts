import type { Tx } from "#core/db/Database.ts";

/** Returns sets of collections that left the index. */
export async function orphanedSets(tx: Tx, chainId: number): Promise<number[]> {
	const rows = await tx.query<{ id: number }>(
		`select set_id as id from market_index.ownership as o
		where chain_id = $1
			and not exists (select from market_index.collection as c where c.id = o.collection_id)`,
		[chainId],
	);
	return rows.map(({ id }) => id);
}
