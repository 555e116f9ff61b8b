// Reads pages of one side of a stored order book: by price, rank or time, of tokens with traits.

import type { Chain } from "#core/chain/Chain.ts";
import { type Address, bytesOf, type Hex } from "#core/chain/Hex.ts";
import { type Binder, createBinder, type Queryable } from "#core/db/Database.ts";
import { CURSOR_PART, type Cursor, createCursor } from "#core/http/pages.ts";
import { explorerLink } from "#plugins/market-index/display.ts";
import {
	type BookOrder,
	DATE_MS_MAX,
	ORDER_KINDS,
	type OrderKind,
} from "#plugins/market-index/event/MarketEvent.ts";
import type { FoundCollection } from "#plugins/market-index/model.ts";
import { renderOrder } from "#plugins/market-index/orderBook.ts";
import { renderTraits } from "#plugins/market-index/render/event.ts";
import type { BookOrderRow } from "#plugins/market-index/schemas/book.ts";
import type { TokenTrait, TraitFilter } from "#plugins/market-index/tokens/model.ts";
import { traitFilterKey, traitFilterSql } from "#plugins/market-index/tokens/sql/traits.ts";

/** An order with what is known of its token, as lists show it. */
export type PlacedOrder = BookOrder & {
	tokenName: string | null;
	/** The token's image; the collection's where the order names no token. */
	imageUrl: string | null;
	/** Null: not ranked, or its traits were not read. */
	rank: number | null;
	traits: TokenTrait[] | null;
};

/**
 * The orders of a book: `price` the best one first, `rank` the rarest token first, `time` what can
 * be filled since the shortest time first. What is unknown comes last in each.
 */
export const ORDER_SORTS = ["price", "rank", "time"] as const;

export type OrderSort = (typeof ORDER_SORTS)[number];

/** What rendering an order of a page needs besides the order. */
export type PlacedContext = {
	chain: Chain;
	contract: Address;
	slug: string;
	usdOf: (unitNative: string | null) => number | null;
};

/** The key of a page's last order: what it is sorted by, and its hash. */
type OrderPlace = { key: string | null; orderHash: Hex };

export type OrdersQuery = {
	collectionId: number;
	kinds: readonly OrderKind[];
	/** Limits the answer to orders for this token; null: all. */
	tokenId: string | null;
	/** `asc` for asks, `desc` for bids: the best one first. Unknown prices come last. */
	order: "asc" | "desc";
	/** Left out: by price. */
	sort?: OrderSort | undefined;
	/** Limits the answer to orders for tokens that have these traits. */
	traits?: TraitFilter | undefined;
	nowMs: number;
	after: OrderPlace | null;
	limit: number;
	/** Leaves out those that only one account may fill. */
	isPublicOnly?: boolean;
};

type OrderPage = {
	orders: PlacedOrder[];
	page: { nextCursor: string | null; hasMore: boolean };
};

type OrderColumns = Omit<PlacedOrder, "kind"> & { kind: number };

/** The select list of an order `o`. */
export const BOOK_COLUMNS = `'0x' || encode(o.order_hash, 'hex') as "orderHash", o.kind,
	o.token_id as "tokenId", '0x' || encode(o.maker, 'hex') as maker, o.quantity,
	'0x' || encode(o.currency, 'hex') as currency, o.symbol, o.decimals,
	o.total_raw as "totalRaw", o.unit_native as "unitNative",
	'0x' || encode(o.protocol_address, 'hex') as "protocolAddress",
	o.criteria, o.is_private as "isPrivate", o.starts_at as "startsAt",
	o.expires_at as "expiresAt", o.seen_at as "seenAt"`;

const cursors = {
	asc: createCursor("asks2", [CURSOR_PART.countOrNone, CURSOR_PART.hash]),
	desc: createCursor("bids2", [CURSOR_PART.countOrNone, CURSOR_PART.hash]),
};

/**
 * Returns a page of one side of a book. One order more than fits is read, to know whether more
 * exist. The cursor belongs to the collection, the filters and the sort.
 */
export async function readOrderPage(
	db: Queryable,
	query: Omit<OrdersQuery, "after" | "collectionId"> & {
		collection: Pick<FoundCollection, "id" | "chain" | "address">;
		cursor: string | undefined;
	},
): Promise<OrderPage> {
	const { collection, cursor, limit, order, kinds, tokenId, sort = "price" } = query;
	const { id: collectionId, chain, address } = collection;
	const bound = cursors[order].of({
		...{ chain, address, tokenId, kinds: kinds.join(",") },
		sort: sort === "price" ? null : sort,
		traits: traitFilterKey(query.traits),
	});
	const after = cursor === undefined ? null : placeOf(bound, cursor);
	const found = await readOrders(db, { ...query, collectionId, after, limit: limit + 1 });
	const orders = found.slice(0, limit);
	const last = orders.at(-1);
	const hasMore = found.length > limit;
	const nextCursor = hasMore && last ? bound.encode([keyOf(last, sort), last.orderHash]) : null;
	return { orders, page: { nextCursor, hasMore } };
}

/**
 * Returns orders that can be filled at that moment, the best first, each with its token: that is
 * one index read in `token_pkey` for each order of the page, after it was cut. Sorting by rank and
 * filtering by trait read the token of each active order of the book.
 */
async function readOrders(db: Queryable, query: OrdersQuery): Promise<PlacedOrder[]> {
	const { kinds, sort = "price", order } = query;
	const binder = createBinder();
	const key = SORT_KEYS[sort];
	// The rarest and the cheapest are the lowest, the newest is the highest.
	const direction = sort === "time" ? "desc" : sort === "rank" ? "asc" : order;
	const limit = binder.bind(query.limit, "int8");
	const numbers = kinds.map((kind) => ORDER_KINDS.indexOf(kind));
	const isOfTokens = sort === "rank" || (query.traits ?? []).length > 0;
	const conditions = [
		`o.collection_id = ${binder.bind(query.collectionId, "int4")} and o.is_active`,
		`o.kind = any(${binder.bind(numbers, "int2[]")})`,
		...filtersOf(binder, query),
		...(query.after ? [beyondSql(binder, { after: query.after, sort, direction })] : []),
	];
	const tokens = `left join market_index.token as t
				on t.collection_id = o.collection_id and t.token_id = o.token_id`;
	const rows = await db.query<OrderColumns>(
		`select ${BOOK_COLUMNS}, t.name as "tokenName",
			case when o.token_id is null then c.image_url else t.image_url end as "imageUrl",
			t.rank, t.traits
		from (
			select o.*, ${key} as sort_key from market_index.market_order as o
			${isOfTokens ? tokens : ""}
			where ${conditions.join(" and ")}
			order by ${key} ${direction} nulls last, o.order_hash
			limit ${limit}
		) as o
		join market_index.collection as c on c.id = o.collection_id
		${tokens}
		order by o.sort_key ${direction} nulls last, o.order_hash`,
		binder.values,
	);
	return rows.map((row) => ({ ...row, kind: ORDER_KINDS[row.kind] ?? "listing" }));
}

/**
 * Returns the cheapest listing of each of these tokens that anybody may fill, by token id; what has
 * an unknown price comes last. By `market_order_token`.
 */
export async function readCheapest(
	db: Queryable,
	query: { collectionId: number; tokenIds: readonly string[]; nowMs: number },
): Promise<ReadonlyMap<string, BookOrder>> {
	if (query.tokenIds.length === 0) return new Map();
	const rows = await db.query<Omit<BookOrder, "kind"> & { tokenId: string }>(
		`select distinct on (o.token_id) ${BOOK_COLUMNS}
		from market_index.market_order as o
		where o.collection_id = $1 and o.is_active and o.kind = 0 and not o.is_private
			and o.token_id = any($2::numeric[])
			and (o.starts_at is null or o.starts_at <= $3)
			and (o.expires_at is null or o.expires_at > $3)
		order by o.token_id, o.unit_native nulls last, o.order_hash`,
		[query.collectionId, query.tokenIds, new Date(query.nowMs)],
	);
	return new Map(rows.map((row) => [row.tokenId, { ...row, kind: "listing" }]));
}

/** Renders an order with its token, so that it can be drawn and bought. */
export function renderPlaced(order: PlacedOrder, context: PlacedContext): BookOrderRow {
	const { tokenName, imageUrl, rank, tokenId } = order;
	const { chain, contract, slug, usdOf } = context;
	return {
		...renderOrder(order, usdOf),
		...{ chain: chain.slug, contractAddress: contract, slug },
		...{ tokenName, imageUrl, rank, traits: renderTraits(order.traits) },
		explorerUrl: explorerLink(chain, { contract, tokenId }),
	};
}

const SORT_KEYS = { price: "o.unit_native", rank: "t.rank", time: "o.starts_at" } as const;

function filtersOf(binder: Binder, query: OrdersQuery): string[] {
	const { tokenId, nowMs, traits = [] } = query;
	const now = binder.bind(new Date(nowMs), "timestamptz");
	return [
		`(o.starts_at is null or o.starts_at <= ${now})`,
		`(o.expires_at is null or o.expires_at > ${now})`,
		...(tokenId === null ? [] : [`o.token_id = ${binder.bind(tokenId, "numeric")}`]),
		...(query.isPublicOnly ? ["not o.is_private"] : []),
		...traitFilterSql(binder, traits),
	];
}

/** Returns the condition on orders after a place; those of an unknown key are after all others. */
function beyondSql(
	binder: Binder,
	given: { after: OrderPlace; sort: OrderSort; direction: "asc" | "desc" },
): string {
	const { after, sort, direction } = given;
	const column = SORT_KEYS[sort];
	const isLater = `o.order_hash > ${binder.bind(bytesOf(after.orderHash), "bytea")}`;
	if (after.key === null) return `(${column} is null and ${isLater})`;
	const key =
		sort === "time"
			? binder.bind(new Date(Math.min(Number(after.key), DATE_MS_MAX)), "timestamptz")
			: binder.bind(after.key, "numeric");
	const beyond = direction === "asc" ? ">" : "<";
	return `(${column} is null or ${column} ${beyond} ${key} or (${column} = ${key} and ${isLater}))`;
}

function placeOf(bound: Cursor, cursor: string): OrderPlace | null {
	const [key, hash] = bound.decode(cursor);
	if (key === undefined || hash === undefined) return null;
	return { key: key === "none" ? null : key, orderHash: `0x${hash.slice(2)}` };
}

function keyOf(order: PlacedOrder, sort: OrderSort): string {
	const { unitNative, rank, startsAt } = order;
	if (sort === "price") return unitNative ?? "none";
	if (sort === "rank") return rank === null ? "none" : String(rank);
	return startsAt === null ? "none" : String(startsAt.getTime());
}
