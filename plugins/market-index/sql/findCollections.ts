import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { KnownCollection } from "#plugins/market-index/event/KnownCollection.ts";

/** Returns the registered collections of these contracts; by the index on chain and address. */
export async function findCollections(
	tx: Tx,
	chainId: number,
	addresses: readonly Address[],
): Promise<KnownCollection[]> {
	const rows = await tx.query<Omit<KnownCollection, "isNew">>(
		`select id, '0x' || encode(address, 'hex') as address, slug, name,
			image_url as "imageUrl", excluded
		from market_index.collection where chain_id = $1 and address = any($2::bytea[])`,
		[chainId, addresses.map((address) => bytesOf(address))],
	);
	return rows.map((row) => ({ ...row, isNew: false }));
}
