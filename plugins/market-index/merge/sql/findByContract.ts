import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { MergedCollection } from "#plugins/market-index/merge/mergeEvents.ts";

/** Returns the collection of a contract, by its unique index; null where the index has none. */
export async function findByContract(
	db: Queryable,
	chainId: number,
	address: Address,
): Promise<MergedCollection | null> {
	const rows = await db.query<{ id: number }>(
		"select id from market_index.collection where chain_id = $1 and address = $2",
		[chainId, bytesOf(address)],
	);
	return rows[0] ? { id: rows[0].id, chainId, address } : null;
}
