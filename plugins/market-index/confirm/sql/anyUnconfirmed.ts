import type { Queryable } from "#core/db/Database.ts";

/** Says whether a chain has any event that only the provider told; by primary key. */
export async function anyUnconfirmed(db: Queryable, chainId: number): Promise<boolean> {
	const rows = await db.query("select from market_index.unconfirmed where chain_id = $1 limit 1", [
		chainId,
	]);
	return rows.length > 0;
}
