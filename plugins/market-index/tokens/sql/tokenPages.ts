// Reads pages of a collection's tokens: by id, rank or price, with filters.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import { type Binder, createBinder, type Queryable } from "#core/db/Database.ts";
import type { TokenTrait, TraitFilter } from "#plugins/market-index/tokens/model.ts";
import { traitFilterSql } from "#plugins/market-index/tokens/sql/traits.ts";

/** The orders of a list of tokens; what is unknown comes last. */
export const TOKEN_SORTS = ["tokenId", "rank", "price"] as const;

export type TokenSort = (typeof TOKEN_SORTS)[number];

/** Limits a number on both sides; null: not on that side. */
export type Bounds<Value> = { min: Value | null; max: Value | null };

export type TokenPageQuery = {
	collectionId: number;
	sort: TokenSort;
	traits: TraitFilter;
	/** A token without a rank passes no bound. */
	rank: Bounds<number>;
	/**
	 * Limits the price of the cheapest listing that anybody may fill, in wei of ETH; a token that has
	 * none passes no bound.
	 */
	price: Bounds<bigint>;
	/** Limits the answer to what this account holds. The collection must be walked. */
	owner: { address: Address; setId: number; standard: "erc721" | "erc1155" } | null;
	/** `key`: what the page is sorted by; null where that is not known, or where it is the id. */
	after: { key: string | null; tokenId: string } | null;
	nowMs: number;
	limit: number;
};

/** A token as lists show it, without what it costs. */
export type ListedToken = {
	tokenId: string;
	name: string | null;
	imageUrl: string | null;
	traits: TokenTrait[] | null;
	rank: number | null;
	/** Null where owners are not kept, or not yet, and for an ERC-1155. */
	owner: Address | null;
	/** What the page is sorted by, in decimal; null: not known, or the id. */
	key: string | null;
};

/** What is known of a collection's tokens as a whole. */
export type TokensState = {
	standard: "erc721" | "erc1155";
	/** The set of its owners; null where they are not kept, or their walk is not done. */
	setId: number | null;
	learnedAt: Date | null;
	traitsAt: Date | null;
	rankedAt: Date | null;
};

const ZERO_OWNER = "'\\x0000000000000000000000000000000000000000'::bytea";

/** Reads what is known of a collection's tokens as a whole, by primary keys. */
export async function readTokensState(db: Queryable, collectionId: number): Promise<TokensState> {
	const [row] = await db.query<TokensState>(
		`select c.standard, case when o.next_block > o.end_block then o.set_id end as "setId",
			c.learned_at as "learnedAt", s.traits_at as "traitsAt", s.ranked_at as "rankedAt"
		from market_index.collection as c
		left join market_index.ownership as o on o.collection_id = c.id
		left join market_index.sync as s on s.collection_id = c.id
		where c.id = $1`,
		[collectionId],
	);
	return (
		row ?? { standard: "erc721", setId: null, learnedAt: null, traitsAt: null, rankedAt: null }
	);
}

/**
 * Returns a page of the tokens that the index has a row of: 50,000 of a collection at most.
 *
 * Those whose key is known come first, by `token_rank`, or by the listings of `market_order_book`;
 * the rest by `token_pkey`, and only as many as the page has room for. Filters are applied on the
 * way, so a filter that nothing passes reads all tokens of the collection once. Owners are found by
 * the last span at or below a token, for the tokens of the page alone.
 */
export async function readTokenPage(db: Queryable, query: TokenPageQuery): Promise<ListedToken[]> {
	const { text, values } = tokenPageStatement(query);
	return db.query<ListedToken>(text, values);
}

/** Returns the statement, apart from its caller so that a test can check its plan. */
export function tokenPageStatement(query: TokenPageQuery) {
	const binder = createBinder();
	const collection = binder.bind(query.collectionId, "int4");
	const { ctes, joins, conditions } = filtersOf(binder, query, collection);
	const from = `from market_index.token as t ${joins}
			where t.collection_id = ${collection}`;
	const limit = binder.bind(query.limit, "int8");
	const source = [from, ...conditions].join(" and ");
	const page =
		query.sort === "tokenId"
			? byId(binder, { query, source, limit })
			: byKey(binder, { query, source, limit });
	const spans = `left join lateral (
			select s.to_id, s.owner from market_index.ownership as o
			join market_index.owned_span as s on s.set_id = o.set_id
			where o.collection_id = ${collection} and o.next_block > o.end_block
				and s.from_id <= p.token_id
			order by s.from_id desc limit 1
		) as held on held.to_id >= p.token_id and held.owner <> ${ZERO_OWNER}`;
	return {
		text: `with ${[...ctes, page].join(", ")}
		select p.token_id as "tokenId", p.key, t.name, t.image_url as "imageUrl", t.traits, t.rank,
			'0x' || encode(held.owner, 'hex') as owner
		from page as p join market_index.token as t
			on t.collection_id = ${collection} and t.token_id = p.token_id
		${spans}
		order by p.key nulls last, p.token_id`,
		values: binder.values,
	};
}

type Paging = { query: TokenPageQuery; source: string; limit: string };

/** Returns the CTE of a page by id. */
function byId(binder: Binder, { query, source, limit }: Paging): string {
	const { after } = query;
	const beyond = after ? `and t.token_id > ${binder.bind(after.tokenId, "numeric")}` : "";
	return `page as (
			select t.token_id, null::numeric as key ${source} ${beyond} order by t.token_id limit ${limit}
		)`;
}

/**
 * Returns the CTEs of a page by rank or price: the tokens whose key is known, then as many others
 * as the page has room for.
 */
function byKey(binder: Binder, { query, source, limit }: Paging): string {
	const { sort, after } = query;
	const column = sort === "rank" ? "t.rank" : "asked.price";
	const { min, max } = sort === "rank" ? query.rank : query.price;
	const isBound = min !== null || max !== null;
	const known = [source, `${column} is not null`];
	const rest = [source, `${column} is null`, ...(isBound ? ["false"] : [])];
	if (after) {
		const isLater = `t.token_id > ${binder.bind(after.tokenId, "numeric")}`;
		if (after.key === null) {
			// A page that begins among the unknown has none of the others.
			known.push("false", isLater);
			rest.push(isLater);
		} else {
			const key = binder.bind(after.key, "numeric");
			known.push(`(${column} > ${key} or (${column} = ${key} and ${isLater}))`);
		}
	}
	return `known as materialized (
			select t.token_id, ${column}::numeric as key ${known.join(" and ")}
			order by ${column}, t.token_id limit ${limit}
		), page as (
			select * from known union all (
				select t.token_id, null::numeric ${rest.join(" and ")}
				order by t.token_id limit ${limit} - (select count(*) from known)
			)
		)`;
}

function filtersOf(binder: Binder, query: TokenPageQuery, collection: string) {
	const { rank, price, owner, traits } = query;
	const ctes: string[] = [];
	const conditions = traitFilterSql(binder, traits);
	const joins: string[] = [];
	const isPriced = price.min !== null || price.max !== null;
	if (query.sort === "price" || isPriced) {
		const now = binder.bind(new Date(query.nowMs), "timestamptz");
		ctes.push(`asked as materialized (
			select token_id, min(unit_native) as price from market_index.market_order
			where collection_id = ${collection} and is_active and kind = 0 and not is_private
				and token_id is not null and unit_native is not null
				and (starts_at is null or starts_at <= ${now})
				and (expires_at is null or expires_at > ${now})
			group by token_id
		)`);
		joins.push("left join asked on asked.token_id = t.token_id");
	}
	if (owner !== null) {
		ctes.push(`owned as materialized (${ownedSql(binder, owner, collection)})`);
		conditions.push("t.token_id in (select token_id from owned)");
	}
	conditions.push(
		...boundsSql(binder, "t.rank", rank, "int8"),
		...boundsSql(binder, "asked.price", price, "numeric"),
	);
	return { ctes, joins: joins.join(" "), conditions };
}

/** Returns SQL for the ids of tokens with a row that an account holds. */
function ownedSql(
	binder: Binder,
	{ address, setId, standard }: NonNullable<TokenPageQuery["owner"]>,
	collection: string,
): string {
	const holder = binder.bind(bytesOf(address), "bytea");
	const set = binder.bind(setId, "int4");
	if (standard === "erc1155") {
		return `select token_id from market_index.owned_units
			where set_id = ${set} and owner = ${holder} and units > 0`;
	}
	return `select held.token_id from market_index.owned_span as s
			join market_index.token as held on held.collection_id = ${collection}
				and held.token_id >= s.from_id and held.token_id <= s.to_id
			where s.set_id = ${set} and s.owner = ${holder}`;
}

function boundsSql(
	binder: Binder,
	column: string,
	{ min, max }: Bounds<number | bigint>,
	type: string,
): string[] {
	return [
		...(min === null ? [] : [`${column} >= ${binder.bind(min, type)}`]),
		...(max === null ? [] : [`${column} <= ${binder.bind(max, type)}`]),
	];
}
