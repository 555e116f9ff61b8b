import type { Queryable } from "#core/db/Database.ts";

/**
 * Returns our collections with these provider's slugs, on these chains; a slug may be on several.
 */
export async function ownBySlug(
	db: Queryable,
	query: { chainIds: readonly number[]; slugs: readonly string[] },
): Promise<{ id: number; slug: string; excluded: boolean }[]> {
	if (query.slugs.length === 0) return [];
	return await db.query(
		`select c.id, s.provider_slug as slug, c.excluded
		from market_index.sync as s join market_index.collection as c on c.id = s.collection_id
		where s.chain_id = any($1::int8[]) and s.provider_slug = any($2::text[])
		order by c.volume_native desc, c.id`,
		[query.chainIds, query.slugs],
	);
}
