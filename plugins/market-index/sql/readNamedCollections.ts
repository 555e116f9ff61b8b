import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";

export type NamedCollection = { id: number; chainId: number; slug: string; address: Address };

/**
 * Returns what a name means on these chains, at most one collection a chain: the contract with that
 * address, else the one with that slug, else the one that had it.
 *
 * The address comes first, so that no contract can name itself after another's address. By the
 * unique indexes of `collection` (chain_id with slug and with address) and `former_slug`'s key.
 */
export async function readNamedCollections(
	db: Queryable,
	options: { chainIds: readonly number[]; slugs: readonly string[]; address: Address | null },
): Promise<NamedCollection[]> {
	const { chainIds, slugs, address } = options;
	return db.query<NamedCollection>(
		`select distinct on (c.chain_id) c.id, c.chain_id as "chainId", c.slug,
			'0x' || encode(c.address, 'hex') as address
		from (
			select id, 1 as priority from market_index.collection
			where chain_id = any($1::int8[]) and address = $3::bytea
			union all
			select id, 2 from market_index.collection
			where chain_id = any($1::int8[]) and slug = any($2::text[])
			union all
			select collection_id, 3 from market_index.former_slug
			where chain_id = any($1::int8[]) and slug = any($2::text[])
		) as named
		join market_index.collection as c on c.id = named.id
		where not c.excluded
		order by c.chain_id, named.priority, c.id`,
		[chainIds, slugs, address === null ? null : bytesOf(address)],
	);
}
