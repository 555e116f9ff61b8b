// Searches the table of collections by words, by name and by the provider's slug.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";

/** The key of a hit in the order of hits: the slug itself first, then by volume, then by id. */
export type HitPlace = { isExact: boolean; volume: string; id: number };

/** Says which collections are searched for, and which page of them. */
export type MatchQuery = {
	chainIds: readonly number[];
	/** Beginnings of words: a match has a word for each of them in its name or slug. */
	terms: readonly string[];
	slug: string;
	after: HitPlace | null;
	limit: number;
};

type TradedWalk = {
	hits: HitPlace[];
	/** The last step of volume that was read to its end; null where all were. */
	lastClass: number | null;
};

type UntradedWalk = {
	hits: HitPlace[];
	/** The last collection that was read; null where there are no more. */
	lastId: number | null;
};

/** The most matches of a query that are read and sorted; with more, its words are common ones. */
const MATCHES_SORTED_MAX = 1_000;
/** The length up to which words count as common until shown otherwise. */
export const LETTERS_MAX = 2;
/**
 * Collections that one statement reads, the most traded first. For one or two letters these are
 * all.
 */
export const LOOKED_AT_STEP = 2_000;
/**
 * Collections that are read for one page of common words; a page that is not full by then is short.
 */
export const LOOKED_AT_MAX = 20_000;
/** Limits how long a process remembers that words are common, and how many of them. */
export const COMMON_KEPT_MS = 60_000;
export const COMMON_KEPT_MAX = 1_000;

/** The lifetime of a hit's figures, and of a page of common words. */
export const HIT_KEPT_MS = 1_000;
/** Limits the collections whose figures a process keeps. */
export const HITS_KEPT_MAX = 5_000;

/** Returns the page, and the number of matches: at least one row, which contains that number. */
const SORT_STATEMENT = `with found as materialized (
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

/** The `volume_class` of a volume of zero. */
const NO_VOLUME_CLASS = 10;
const CLASS_MAX = 2_147_483_647;
/** An id after all collections of a step of volume: that step is then not read again. */
export const ID_MAX = 2_147_483_647;

/** Returns at least one row, which states how far the walk came. */
const TRADED_STATEMENT = `with last as materialized (
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

/** Returns at least one row, which states how far the walk came. */
const UNTRADED_STATEMENT = `with last as materialized (
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
	const rows = await db.query<(HitPlace | { id: null }) & { matches: number }>(SORT_STATEMENT, [
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
	const rows = await db.query<(HitPlace | { id: null }) & { lastClass: number | null }>(
		TRADED_STATEMENT,
		[
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
		],
	);
	const hits = rows.flatMap((row) => {
		if (row.id === null) return [];
		const { isExact, volume, id } = row;
		return { isExact, volume, id };
	});
	return { hits, lastClass: rows[0]?.lastClass ?? null };
}

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
	const rows = await db.query<{ id: number | null; lastId: number | null }>(UNTRADED_STATEMENT, [
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

/**
 * Returns collections with exactly this name, in any case: what the provider vouches for first,
 * then the most traded.
 *
 * By `collection_name`. Any number of contracts with one name can be deployed: only the oldest are
 * read, which copies of a name are not.
 */
export async function readNamesakes(
	db: Queryable,
	query: { chainIds: readonly number[]; name: string; limit: number },
): Promise<number[]> {
	const rows = await db.query<{ id: number }>(
		`with named as materialized (
			select id, safelist_status, volume_native from market_index.collection
			where lower(name) = lower($2) and chain_id = any($1::int8[]) and not excluded
			order by id limit ${MATCHES_SORTED_MAX}
		)
		select id from named
		order by coalesce(safelist_status = 'verified', false) desc, volume_native desc, id limit $3`,
		[query.chainIds, query.name, query.limit],
	);
	return rows.map(({ id }) => id);
}

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

/**
 * Returns a `tsquery` for words that begin with all terms. Terms are quoted, so none is an
 * operator.
 */
function tsqueryOf(terms: readonly string[]): string {
	return terms.map((term) => `'${term}':*`).join(" & ");
}

/** Computes `volume_class` as the column does: the number of digits, then the first digit. */
function volumeClass(volume: string): number {
	return volume.length * 10 + Number(volume[0]);
}
