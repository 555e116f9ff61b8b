import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { MATCHES_SORTED_MAX } from "#plugins/market-index/search/limits.ts";

export type Namesake = {
	id: number;
	chainId: number;
	slug: string;
	address: Address;
	name: string | null;
};

/**
 * Reads collections with exactly this name, in any case, the most traded first.
 *
 * By `collection_name`. Any number of contracts with one name can be deployed: only the oldest are
 * read, which copies of a name are not.
 */
export async function readNamesakes(
	db: Queryable,
	query: { chainIds: readonly number[]; name: string; limit: number },
): Promise<Namesake[]> {
	return db.query<Namesake>(
		`with named as materialized (
			select id, chain_id, slug, address, name, volume_native from market_index.collection
			where lower(name) = lower($2) and chain_id = any($1::int8[]) and not excluded
			order by id limit ${MATCHES_SORTED_MAX}
		)
		select id, chain_id as "chainId", slug, '0x' || encode(address, 'hex') as address, name
		from named order by volume_native desc, id limit $3`,
		[query.chainIds, query.name, query.limit],
	);
}
