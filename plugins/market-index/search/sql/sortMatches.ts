import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { HitPlace } from "#plugins/market-index/search/HitPlace.ts";
import { MATCHES_SORTED_MAX } from "#plugins/market-index/search/limits.ts";
import type { MatchQuery } from "#plugins/market-index/search/sql/MatchQuery.ts";
import { tsqueryOf } from "#plugins/market-index/search/sql/tsqueryOf.ts";

/**
 * Returns a page of the collections that match, or that are at the address; null where there are
 * too many matches to sort.
 *
 * By `collection_words`, which gives all matches in no order: for words that few begin with.
 */
export async function sortMatches(
	db: Queryable,
	{ chainIds, terms, slug, after, limit, address }: MatchQuery & { address: Address | null },
): Promise<HitPlace[] | null> {
	const rows = await db.query<(HitPlace | { id: null }) & { matches: number }>(TEXT, [
		chainIds,
		tsqueryOf(terms),
		address && bytesOf(address),
		slug,
		after?.isExact ?? null,
		after?.volume ?? null,
		after?.id ?? null,
		limit,
	]);
	if ((rows[0]?.matches ?? 0) >= MATCHES_SORTED_MAX) return null;
	return rows.flatMap((row) => {
		if (row.id === null) return [];
		const { isExact, volume, id } = row;
		return { isExact, volume, id };
	});
}

/** Returns the page, and the number of matches: at least one row, which contains that number. */
const TEXT = `with found as materialized (
		select id, slug, volume_native from market_index.collection
		where words @@ $2::tsquery and chain_id = any($1::int8[]) and not excluded
		limit ${MATCHES_SORTED_MAX}
	), named as (
		select id, slug, volume_native from market_index.collection
		where chain_id = any($1::int8[]) and not excluded and address = $3
		union all
		select id, slug, volume_native from market_index.collection
		where chain_id = any($1::int8[]) and not excluded and slug = $4 and words @@ $2::tsquery
	), hit as (select * from found union select * from named)
	select page.*, counted.matches from (select count(*)::int4 as matches from found) as counted
	left join lateral (
		select id, slug = $4 as "isExact", volume_native as volume from hit
		where $5::bool is null
			or ((slug <> $4)::int, -volume_native, id) > ((not $5)::int, -$6::numeric, $7::int4)
		order by (slug <> $4)::int, -volume_native, id limit $8
	) as page on true
	order by not page."isExact", -page.volume, page.id`;
