import type { Queryable } from "#core/db/Database.ts";

/**
 * Returns the provider's slugs of collections worth following: those looked at, then the most
 * active.
 */
export async function followedSlugs(
	db: Queryable,
	follow: { chainIds: readonly number[]; nowMs: number; limit: number },
): Promise<string[]> {
	const rows = await db.query<{ slug: string }>(
		`select s.provider_slug as slug from market_index.sync as s
		join market_index.collection as c on c.id = s.collection_id and not c.excluded
		where s.provider_slug is not null and s.chain_id = any($1::int8[])
		order by coalesce(s.watched_until > $2, false) desc,
			greatest(c.last_sale_at, c.last_mint_at) desc nulls last, s.collection_id desc
		limit $3`,
		[follow.chainIds, new Date(follow.nowMs), follow.limit],
	);
	return [...new Set(rows.map(({ slug }) => slug))];
}
