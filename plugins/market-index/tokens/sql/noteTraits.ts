import type { Queryable } from "#core/db/Database.ts";

/** Records when traits were counted and, if so, tokens ranked. */
export async function noteTraits(
	db: Queryable,
	{ collectionId, at, isRanked }: { collectionId: number; at: Date; isRanked: boolean },
): Promise<void> {
	await db.execute(
		`insert into market_index.sync as kept (collection_id, chain_id, traits_at, ranked_at)
		select id, chain_id, $2::timestamptz, case when $3::boolean then $2::timestamptz end
		from market_index.collection where id = $1
		on conflict (collection_id) do update set traits_at = excluded.traits_at,
			ranked_at = coalesce(excluded.ranked_at, kept.ranked_at)`,
		[collectionId, at, isRanked],
	);
}
