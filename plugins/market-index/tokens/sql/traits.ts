// Counts traits, finds their floors, and reads them.

import type { Binder, Queryable, Tx } from "#core/db/Database.ts";
import {
	TOKENS_MAX,
	type TokenTrait,
	TRAIT_VALUES_MAX,
	type TraitFilter,
} from "#plugins/market-index/tokens/model.ts";
import { lockTokens } from "#plugins/market-index/tokens/sql/dueTokens.ts";

export type TraitCount = {
	type: string;
	value: string;
	tokens: number;
	floorNative: string | null;
};

type TraitPageQuery = {
	collectionId: number;
	/** Limits the answer to this trait; null: all. */
	type: string | null;
	after: { type: string; value: string } | null;
	limit: number;
};

/** The most listings that are read, cheapest first: beyond them no floor is found. */
const LISTINGS_MAX = 20_000;

/**
 * Counts tokens by trait and value from their own metadata, and writes only changed counts. No pair
 * is twice in a token, so that rows are tokens.
 */
export async function countTraits(tx: Tx, collectionId: number): Promise<void> {
	await lockTokens(tx, collectionId);
	await tx.execute(
		`with counted as (
			select trait ->> 'type' as trait_type, trait ->> 'value' as value,
				count(*)::int4 as tokens
			from market_index.token as t cross join lateral jsonb_array_elements(t.traits) as trait
			where t.collection_id = $1 and t.traits is not null
			group by 1, 2 order by 3 desc, 1, 2 limit $2
		), gone as (
			delete from market_index.trait_count as kept
			where collection_id = $1 and not exists (
				select from counted
				where counted.trait_type = kept.trait_type and counted.value = kept.value
			)
		)
		insert into market_index.trait_count as kept (collection_id, trait_type, value, tokens)
		select $1, trait_type, value, tokens from counted
		on conflict (collection_id, trait_type, value) do update set tokens = excluded.tokens
		where kept.tokens <> excluded.tokens`,
		[collectionId, TRAIT_VALUES_MAX],
	);
}

/**
 * Stores the best ask for each counted value, from active listings of tokens with known traits;
 * returns how many of those there are. A value without a listing has none. Listings by
 * `market_order_book` (collection, kind, price), tokens by `token_pkey`.
 */
export async function floorTraits(
	tx: Tx,
	{ collectionId, at }: { collectionId: number; at: Date },
): Promise<{ listed: number }> {
	await lockTokens(tx, collectionId);
	const rows = await tx.query<{ listed: number }>(
		`with listed as (
			select o.unit_native, t.traits
			from (
				select token_id, unit_native from market_index.market_order
				where collection_id = $1 and kind = 0 and is_active and not is_private
					and unit_native is not null and token_id is not null
					and (starts_at is null or starts_at <= $2)
					and (expires_at is null or expires_at > $2)
				order by unit_native limit $3
			) as o
			join market_index.token as t
				on t.collection_id = $1 and t.token_id = o.token_id and t.traits is not null
		), floors as (
			select trait ->> 'type' as trait_type, trait ->> 'value' as value,
				min(unit_native) as floor
			from listed cross join lateral jsonb_array_elements(traits) as trait
			group by 1, 2
		), written as (
			update market_index.trait_count as kept set floor_native = f.floor
			from market_index.trait_count as old
			left join floors as f on f.trait_type = old.trait_type and f.value = old.value
			where old.collection_id = $1 and kept.collection_id = $1
				and kept.trait_type = old.trait_type and kept.value = old.value
				and kept.floor_native is distinct from f.floor
				and exists (select from listed)
		)
		select count(*)::int4 as listed from listed`,
		[collectionId, at, LISTINGS_MAX],
	);
	return rows[0] ?? { listed: 0 };
}

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

/** Returns counted values by trait, then value. By `trait_count_pkey`. */
export async function readTraitPage(db: Queryable, query: TraitPageQuery): Promise<TraitCount[]> {
	const { collectionId, type, after, limit } = query;
	return db.query<TraitCount>(
		`select trait_type as type, value, tokens, floor_native as "floorNative"
		from market_index.trait_count
		where collection_id = $1 and ($2::text is null or trait_type = $2::text)
			and ($3::text is null or (trait_type, value) > ($3::text, $4::text))
		order by trait_type, value limit $5`,
		[collectionId, type, after?.type ?? null, after?.value ?? null, limit],
	);
}

/**
 * Returns the values that fewest tokens have, the rarest first. Sorts the collection's part of
 * `trait_count_pkey`, of at most 20,000 values.
 */
export function readRarestTraits(
	db: Queryable,
	{ collectionId, type, limit }: Omit<TraitPageQuery, "after">,
): Promise<TraitCount[]> {
	return db.query<TraitCount>(
		`select trait_type as type, value, tokens, floor_native as "floorNative"
		from market_index.trait_count
		where collection_id = $1 and ($2::text is null or trait_type = $2::text)
		order by tokens, trait_type, value limit $3`,
		[collectionId, type, limit],
	);
}

/**
 * Returns the counted values that a text means: a value (`gold`), or a trait and a value in either
 * order (`background gold`, `Background: Gold`), in any case. Reads the collection's part of
 * `trait_count_pkey`, of at most 20,000 values.
 */
export function findTraits(
	db: Queryable,
	{ collectionId, text, limit }: { collectionId: number; text: string; limit: number },
): Promise<TraitCount[]> {
	const said = text.toLowerCase().replace(/\s+/g, " ").trim();
	return db.query<TraitCount>(
		`select trait_type as type, value, tokens, floor_native as "floorNative"
		from market_index.trait_count
		where collection_id = $1 and (lower(value) = $2 or lower(trait_type || ' ' || value) = $2
			or lower(value || ' ' || trait_type) = $2 or lower(trait_type || ': ' || value) = $2)
		order by tokens desc, trait_type, value limit $3`,
		[collectionId, said, limit],
	);
}

/**
 * Returns the conditions on a token `t` that has these traits, exactly as they are stored. A token
 * whose traits nobody told passes none.
 */
export function traitFilterSql(binder: Binder, filter: TraitFilter): string[] {
	return filter.map(({ type, values }) => {
		const pairs = values.map((value) => JSON.stringify([{ type, value }]));
		return `t.traits @> any(${binder.bind(pairs, "jsonb[]")})`;
	});
}

/** Returns a text that is the same for equal filters, for cursors; null without a filter. */
export function traitFilterKey(filter: TraitFilter | undefined): string | null {
	if (filter === undefined || filter.length === 0) return null;
	const pairs = filter.flatMap(({ type, values }) => values.map((value) => [type, value]));
	return JSON.stringify(pairs.map((pair) => JSON.stringify(pair)).sort());
}

/** Reads when a collection's traits were last counted; null: never. By primary key. */
export async function readTraitsAt(db: Queryable, collectionId: number): Promise<Date | null> {
	const rows = await db.query<{ traits_at: Date | null }>(
		"select traits_at from market_index.sync where collection_id = $1",
		[collectionId],
	);
	return rows[0]?.traits_at ?? null;
}

/**
 * Returns the traits of all tokens with known ones, by id: ties in rank keep that order. Tokens
 * that still show what all showed before a reveal are left out.
 */
export async function tokenTraits(
	db: Queryable,
	collectionId: number,
): Promise<{ id: string; traits: TokenTrait[] }[]> {
	return db.query<{ id: string; traits: TokenTrait[] }>(
		`select t.token_id as id, t.traits
		from market_index.token as t join market_index.collection as c on c.id = t.collection_id
		where t.collection_id = $1 and t.traits is not null
			and t.traits is distinct from c.hidden_traits
		order by t.token_id limit $2`,
		[collectionId, TOKENS_MAX],
	);
}
