import type { Queryable } from "#core/db/Database.ts";

/** A collection with the provider's slug. */
export type NamedRow = { id: number; slug: string };

/**
 * Returns those of these collections that the provider knows, in the given order. Collections whose
 * slug has several contracts are left out: the provider's figures belong to no single one of them.
 */
export async function namedRows(
	db: Queryable,
	collectionIds: readonly number[],
): Promise<NamedRow[]> {
	return await db.query<NamedRow>(
		`select s.collection_id as id, s.provider_slug as slug
		from unnest($1::int4[]) with ordinality as given (id, place)
		join market_index.sync as s on s.collection_id = given.id
		join market_index.collection as c on c.id = given.id
		where s.provider_slug is not null
			and jsonb_path_query_first(c.provider_row, '$.contracts[1]') is null
		order by given.place`,
		[collectionIds],
	);
}
