import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";

export type WatchedRow = { setId: number; address: Address; endBlock: number };

/** Returns the contracts of a chain whose owners are kept: a few hundred, by the unique index. */
export async function watchedRows(db: Queryable, chainId: number): Promise<WatchedRow[]> {
	return db.query<WatchedRow>(
		`select set_id as "setId", '0x' || encode(address, 'hex') as address,
			end_block as "endBlock"
		from market_index.ownership where chain_id = $1 order by address`,
		[chainId],
	);
}
