import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";

/** What applying a batch needs to know of a collection. */
export type KnownCollection = {
	id: number;
	address: Address;
	slug: string;
	name: string | null;
	imageUrl: string | null;
	excluded: boolean;
	/** True when the same batch registered it. */
	isNew: boolean;
};

/** The collections of contracts, as far as they are registered. By unique index (chain, address). */
export async function findCollections(
	db: Queryable,
	chainId: number,
	contracts: Iterable<Address>,
): Promise<Map<Address, KnownCollection>> {
	const bytes = Array.from(contracts, (address) => Buffer.from(address.slice(2), "hex"));
	const rows = await db.query<Omit<KnownCollection, "isNew">>(
		`select id, '0x' || encode(address, 'hex') as address, slug, name,
			image_url as "imageUrl", excluded
		from market_index.collection where chain_id = $1 and address = any($2::bytea[])`,
		[chainId, bytes],
	);
	return new Map(rows.map((row) => [row.address, { ...row, isNew: false }]));
}
