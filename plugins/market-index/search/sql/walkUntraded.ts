import type { Queryable } from "#core/db/Database.ts";
import type { HitPlace } from "#plugins/market-index/search/HitPlace.ts";
import type { MatchQuery } from "#plugins/market-index/search/sql/MatchQuery.ts";
import { tsqueryOf } from "#plugins/market-index/search/sql/tsqueryOf.ts";
import { NO_VOLUME_CLASS } from "#plugins/market-index/search/sql/walkTraded.ts";

export type UntradedWalk = {
	hits: HitPlace[];
	/** The last collection that was read; null where there are no more. */
	lastId: number | null;
};

/**
 * Returns the next matches among the collections that never traded, by id: there may be very many.
 *
 * Follows `collection_volume` until the page is full, or to the last candidate.
 */
export async function walkUntraded(
	db: Queryable,
	query: Omit<MatchQuery, "after"> & { afterId: number; candidates: number },
): Promise<UntradedWalk> {
	const { chainIds, terms, slug, afterId, limit, candidates } = query;
	const rows = await db.query<{ id: number | null; lastId: number | null }>(TEXT, [
		chainIds,
		tsqueryOf(terms),
		slug,
		afterId,
		limit,
		candidates,
	]);
	return {
		hits: rows.flatMap(({ id }) => (id === null ? [] : { isExact: false, volume: "0", id })),
		lastId: rows[0]?.lastId ?? null,
	};
}

/** Returns at least one row, which states how far the walk came. */
const TEXT = `with last as materialized (
		select (
			select candidate.id from unnest($1::int8[]) as chain (id)
			cross join lateral (
				select id from market_index.collection
				where chain_id = chain.id and volume_class = ${NO_VOLUME_CLASS} and id > $4::int4
				order by id limit $6::int4
			) as candidate
			order by 1 offset $6::int4 - 1 limit 1
		) as id
	)
	select page.id, last.id as "lastId" from last
	left join lateral (
		select c.id from unnest($1::int8[]) as chain (id)
		cross join lateral (
			select id from market_index.collection
			where chain_id = chain.id and not excluded and volume_class = ${NO_VOLUME_CLASS}
				and id > $4::int4 and (last.id is null or id <= last.id)
				-- See walkTraded.
				and case when words @@ $2::tsquery then slug <> $3 else false end
			order by volume_class desc, id limit $5
		) as c
		order by c.id limit $5
	) as page on true
	order by page.id`;
