import type { Queryable } from "#core/db/Database.ts";
import type { HitPlace } from "#plugins/market-index/search/HitPlace.ts";
import type { MatchQuery } from "#plugins/market-index/search/sql/MatchQuery.ts";
import { tsqueryOf } from "#plugins/market-index/search/sql/tsqueryOf.ts";

export type TradedWalk = {
	hits: HitPlace[];
	/** The last step of volume that was read to its end; null where all were. */
	lastClass: number | null;
};

/** The `volume_class` of a volume of zero. */
export const NO_VOLUME_CLASS = 10;
const CLASS_MAX = 2_147_483_647;
/** An id after all collections of a step of volume: that step is then not read again. */
export const ID_MAX = 2_147_483_647;

/**
 * Returns the next matches among the collections that ever traded, from the most traded on.
 *
 * Follows `collection_volume` until the page is full, and at most to the end of the step of volume
 * with the last candidate: its cost depends on `candidates`, and not on how many collections exist
 * or match.
 */
export async function walkTraded(
	db: Queryable,
	query: MatchQuery & { candidates: number },
): Promise<TradedWalk> {
	const { chainIds, terms, slug, after, limit, candidates } = query;
	const from = after && !after.isExact ? after : null;
	const rows = await db.query<(HitPlace | { id: null }) & { lastClass: number | null }>(TEXT, [
		chainIds,
		tsqueryOf(terms),
		slug,
		from?.volume ?? null,
		from?.id ?? null,
		limit,
		candidates,
		from === null ? CLASS_MAX : volumeClass(from.volume) - (from.id === ID_MAX ? 1 : 0),
		after === null || after.isExact,
		after?.isExact ? after.volume : null,
		after?.isExact ? after.id : null,
	]);
	const hits = rows.flatMap((row) => {
		if (row.id === null) return [];
		const { isExact, volume, id } = row;
		return { isExact, volume, id };
	});
	return { hits, lastClass: rows[0]?.lastClass ?? null };
}

/** Computes `volume_class` as the column does: the number of digits, then the first digit. */
function volumeClass(volume: string): number {
	return volume.length * 10 + Number(volume[0]);
}

/** Returns at least one row, which states how far the walk came. */
const TEXT = `with last as materialized (
		select (
			select candidate.volume_class from unnest($1::int8[]) as chain (id)
			cross join lateral (
				select volume_class from market_index.collection
				where chain_id = chain.id and volume_class > ${NO_VOLUME_CLASS} and volume_class <= $8
				order by volume_class desc limit $7::int4
			) as candidate
			order by 1 desc offset $7::int4 - 1 limit 1
		) as class
	), walked as (
		select c.id, c.slug, c.volume_native from last, unnest($1::int8[]) as chain (id)
		cross join lateral (
			select id, slug, volume_native from market_index.collection
			where chain_id = chain.id and not excluded and volume_class <= $8
				and volume_class > coalesce(last.class - 1, ${NO_VOLUME_CLASS})
				-- Whoever plans takes any words for rare, and would read all there is to sort it: of a
				-- case it believes that half of all rows pass, and goes along the index.
				and case when words @@ $2::tsquery then slug <> $3 else false end
				and ($4::numeric is null or (-volume_native, id) > (-$4::numeric, $5::int4))
			order by volume_class desc, volume_native desc, id limit $6
		) as c
	), named as (
		select id, slug, volume_native from market_index.collection
		where $9 and chain_id = any($1::int8[]) and not excluded and slug = $3
			and words @@ $2::tsquery
			and ($10::numeric is null or (-volume_native, id) > (-$10::numeric, $11::int4))
	)
	select page.*, last.class as "lastClass" from last
	left join lateral (
		select id, slug = $3 as "isExact", volume_native as volume
		from (select * from walked union all select * from named) as hit
		order by (slug <> $3)::int, -volume_native, id limit $6
	) as page on true
	order by not page."isExact", -page.volume, page.id`;
