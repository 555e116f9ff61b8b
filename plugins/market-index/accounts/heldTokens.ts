// Reads which walked collections an account holds tokens of, and these tokens.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { TokenTrait } from "#plugins/market-index/tokens/model.ts";

/** A collection of which an account holds units, by a walk over its history. */
export type HeldCollection = {
	setId: number;
	id: number;
	chainId: number;
	address: Address;
	slug: string;
	name: string | null;
	imageUrl: string | null;
	standard: "erc721" | "erc1155";
	floorNative: string | null;
	floorAt: Date | null;
	/** Units of all ids together. */
	units: string;
	/** False while the walk is under way: then what it holds is not known yet. */
	isWalked: boolean;
};

export type HeldToken = {
	setId: number;
	tokenId: string;
	units: string;
	name: string | null;
	imageUrl: string | null;
	rank: number | null;
	traits: TokenTrait[] | null;
};

/** How many of a chain's contracts are walked, and whose walk is under way. */
export type WalkedCount = { chainId: number; walked: number; walking: number };

/**
 * Counts the contracts of each chain whose owners are known. A walk without a mint counts as none:
 * its contract emits no usable logs. A chain has a few hundred.
 */
export async function countWalked(
	db: Queryable,
	chainIds: readonly number[],
): Promise<ReadonlyMap<number, WalkedCount>> {
	const rows = await db.query<WalkedCount>(
		`select chain_id as "chainId",
			count(*) filter (where next_block > end_block and minted > 0)::int4 as walked,
			count(*) filter (where coalesce(next_block, 0) <= end_block)::int4 as walking
		from market_index.ownership where chain_id = any($1::int8[]) group by chain_id`,
		[chainIds],
	);
	return new Map(rows.map((row) => [row.chainId, row]));
}

/**
 * Returns collections that an account holds something of, by id. Their sets are found one after
 * the other in `owned_span_owner` and `owned_units_owner` (owner, set, id): a step for each,
 * however many tokens are in it. What is held of it, by `holder_pkey`.
 */
export async function readHeldCollections(
	db: Queryable,
	query: {
		address: Address;
		chainIds: readonly number[];
		collectionId: number | null;
		limit: number;
	},
): Promise<HeldCollection[]> {
	return db.query<HeldCollection>(
		`with recursive ${setsOf("owned_span")}, ${setsOf("owned_units")}
		select o.set_id as "setId", c.id, c.chain_id as "chainId",
			'0x' || encode(c.address, 'hex') as address, c.slug, c.name, c.image_url as "imageUrl",
			c.standard, c.floor_native as "floorNative", c.floor_at as "floorAt", h.units,
			coalesce(o.next_block > o.end_block and o.minted > 0, false) as "isWalked"
		from (
			select set_id from owned_span_sets union select set_id from owned_units_sets
		) as found
		join market_index.ownership as o on o.set_id = found.set_id
		join market_index.collection as c on c.id = o.collection_id
		join market_index.holder as h on h.set_id = found.set_id and h.owner = $1::bytea
		where c.chain_id = any($2::int8[]) and not c.excluded and h.units > 0
			and ($3::int4 is null or c.id = $3)
		order by c.id limit $4`,
		[bytesOf(query.address), query.chainIds, query.collectionId, query.limit],
	);
}

/**
 * Returns an account's tokens of some sets, in the order of the sets and then of ids, with what the
 * tokens say of themselves; of the first set those after `after`. By `owned_span_owner` and
 * `owned_units_owner`; the span that `after` lies in, by `owned_span_pkey`.
 */
export async function readHeldTokens(
	db: Queryable,
	query: {
		address: Address;
		sets: readonly Pick<HeldCollection, "setId" | "id">[];
		after: string | null;
		limit: number;
	},
): Promise<HeldToken[]> {
	const { address, sets, after, limit } = query;
	if (sets.length === 0) return [];
	return db.query<HeldToken>(
		`with page as materialized (
			select s.set_id, s.collection_id, s.place, held.token_id, held.units
			from unnest($2::int4[], $3::int4[]) with ordinality as s (set_id, collection_id, place)
			cross join lateral (
				select case when s.place = 1 then coalesce($4::numeric, -1) else -1 end as token_id
			) as behind
			cross join lateral (
				(
					select id as token_id, 1::numeric as units
					from (
						(
							select greatest(last.from_id, behind.token_id + 1) as low, last.to_id as high
							from (
								select * from market_index.owned_span
								where set_id = s.set_id and from_id <= behind.token_id
								order by from_id desc limit 1
							) as last
							where last.owner = $1::bytea and last.to_id > behind.token_id
						)
						union all
						(
							select from_id, to_id from market_index.owned_span
							where owner = $1::bytea and set_id = s.set_id and from_id > behind.token_id
							order by from_id limit $5::int8
						)
					) as span
					cross join lateral generate_series(low, least(high, low + $5::int8 - 1)) as id
					order by id limit $5::int8
				)
				union all
				(
					select token_id, units from market_index.owned_units
					where owner = $1::bytea and set_id = s.set_id and token_id > behind.token_id
						and units > 0
					order by token_id limit $5::int8
				)
			) as held
			order by s.place, held.token_id limit $5::int8
		)
		select page.set_id as "setId", page.token_id as "tokenId", page.units, t.name,
			t.image_url as "imageUrl", t.rank, t.traits
		from page
		left join market_index.token as t
			on t.collection_id = page.collection_id and t.token_id = page.token_id
		order by page.place, page.token_id`,
		[bytesOf(address), sets.map(({ setId }) => setId), sets.map(({ id }) => id), after, limit],
	);
}

/** Returns the CTE of the sets in which an account has a row. */
function setsOf(table: "owned_span" | "owned_units"): string {
	const next = (after: string) => `select set_id from market_index.${table}
			where owner = $1::bytea ${after} order by set_id limit 1`;
	return `${table}_sets (set_id) as (
			(${next("")})
			union all
			select step.set_id from ${table}_sets as last
			cross join lateral (${next("and set_id > last.set_id")}) as step
		)`;
}
