import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";

/** The key of a page's last hit. */
export type HitPlace = { isExact: boolean; volume: string; id: number };

export type SearchQuery = {
	chainIds: readonly number[];
	terms: readonly string[];
	/** The whole query, where it is one. */
	address: Address | null;
	slug: string;
	after: HitPlace | null;
	limit: number;
};

/**
 * Collections whose name or slug has words that begin with all terms, or that are at the address:
 * one whose slug is the query first, then by volume of all time.
 */
export async function searchCollections(db: Queryable, query: SearchQuery): Promise<HitPlace[]> {
	const { chainIds, terms, address, slug, after, limit } = query;
	if (terms.length === 0 && address === null) return [];
	return await db.query<HitPlace>(
		`select id, slug = $4 as "isExact", volume_native as volume
		from market_index.collection
		where chain_id = any($1::int8[]) and not excluded
			and (words @@ $2::tsquery or address = $3)
			and ($5::bool is null
				or ((slug <> $4)::int, -volume_native, id) > ((not $5)::int, -$6::numeric, $7::int4))
		order by (slug <> $4)::int, -volume_native, id limit $8`,
		[
			chainIds,
			// Quoted, so that no word is taken for an operator; empty it matches nothing.
			terms.map((term) => `'${term}':*`).join(" & "),
			address && Buffer.from(address.slice(2), "hex"),
			slug,
			after?.isExact ?? null,
			after?.volume ?? null,
			after?.id ?? null,
			limit,
		],
	);
}
