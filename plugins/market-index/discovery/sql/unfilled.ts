import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";

export type Unfilled = { id: number; chainId: number; address: Address };

/** Returns the first of these collections without a floor or owners that were not read lately. */
export async function unfilled(
	db: Queryable,
	query: { collectionIds: readonly number[]; askedBefore: Date; limit: number },
): Promise<Unfilled[]> {
	return await db.query<Unfilled>(
		`select c.id, c.chain_id as "chainId", '0x' || encode(c.address, 'hex') as address
		from unnest($1::int4[]) with ordinality as given (id, place)
		join market_index.collection as c on c.id = given.id
		where not c.excluded and (c.floor_native is null or c.provider_owners is null)
			and (c.provider_stats_at is null or c.provider_stats_at <= $2)
		order by given.place limit $3`,
		[query.collectionIds, query.askedBefore, query.limit],
	);
}
