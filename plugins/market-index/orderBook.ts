// Reads stored order books: listings and depth, and renders orders.

import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { displayNative, displayTime } from "#plugins/market-index/display.ts";
import type { BookOrder } from "#plugins/market-index/event/MarketEvent.ts";
import { normaliseTrait } from "#plugins/market-index/rank/scoreToken.ts";
import type { BookUnread, Order } from "#plugins/market-index/schemas/book.ts";
import { type TokenTrait, TRAIT_VALUES_MAX } from "#plugins/market-index/tokens/model.ts";

/** A listing that can be filled, with the rank and traits of its token. */
export type TokenListing = {
	tokenId: string;
	/** Null: not ranked, or its traits were not read. */
	rank: number | null;
	traits: TokenTrait[];
	orderHash: Hex;
	maker: Address;
	/** Units for sale. */
	quantity: bigint;
	/** The zero address for the chain's own coin; null where several currencies are asked for. */
	currency: Address | null;
	symbol: string;
	/** The price for all units, in base units of the currency. */
	totalRaw: bigint;
};

/** Direct reads of the index for plugins that choose among listings. */
export type BookReads = {
	/**
	 * Returns listings that any account may fill at that moment: best rank first, then the cheapest.
	 */
	listings(collectionId: number, at: Date): Promise<TokenListing[]>;
	/**
	 * Keeps the provider's books of collections current for five minutes. Listings of `urgent` ones
	 * are read again now, before all others and by calls that are kept for them, where that was not
	 * done within ten seconds. Only for collections that the provider knows.
	 */
	watch(collectionIds: readonly number[], given: { at: Date; isUrgent: boolean }): Promise<void>;
	/**
	 * Fills the books of collections from the provider's pushes for five minutes: it costs no call.
	 */
	follow(collectionIds: readonly number[], at: Date): Promise<void>;
	/**
	 * Returns names and values of traits in a collection, normalised. Null where there may be others:
	 * of very many only the most common ones are counted.
	 */
	traitValues(collectionId: number): Promise<{ type: string; value: string }[] | null>;
	/** Returns when the provider's listings were last read to their end; null: never. */
	readAt(collectionId: number): Promise<Date | null>;
	/** Returns the best ask in base units of ETH, with its time; null while unknown. */
	floor(collectionId: number): Promise<{ native: bigint; at: Date | null } | null>;
	/** Normalises as ranks do: lower case, no surrounding blanks. */
	normaliseTrait(text: string): string;
};

/** Orders of one price; `unitNative` is null for those whose price in ETH is unknown. */
export type DepthLevel = { unitNative: string | null; orders: number; units: string };

/** When each side of a book was last read to its end (null: never), and why a side was not. */
export type BookState = {
	listings: Date | null;
	offers: Date | null;
	unread: BookUnread;
};

type Depth = { asks: DepthLevel[]; bids: DepthLevel[] };

type ListingRow = Omit<TokenListing, "quantity" | "totalRaw"> & {
	quantity: string;
	totalRaw: string;
};

/** Price levels that are shown of each side of an order book. */
const DEPTH_LEVELS_MAX = 50;

/** The most listings that are returned to choose among, the rarest tokens first. */
const TOKEN_LISTINGS_MAX = 10_000;

/** An urgent book is read again at most this often. */
const URGENT_EVERY_MS = 10_000;

/**
 * How long a book is urgent after one request; the caller repeats the request while it needs it.
 */
const URGENT_FOR_MS = 20_000;

/** How long a book is kept current after one request. */
const KEPT_CURRENT_MS = 300_000;

const SUMS = `count(*)::int4 as orders, sum(quantity) as units
	from market_index.market_order
	where collection_id = $1 and is_active and kind = $2 and not is_private
		and (starts_at is null or starts_at <= $3) and (expires_at is null or expires_at > $3)`;

/**
 * Makes the reads of order books together with ranks and traits, for plugins that choose by them.
 */
export function createBookReads(db: Queryable): BookReads {
	return {
		listings: (collectionId, at) => readTokenListings(db, collectionId, at),
		async watch(ids, { at, isUrgent }) {
			const read = new Date(at.getTime() - URGENT_EVERY_MS);
			await db.execute(
				`update market_index.sync set watched_until = greatest(watched_until, $2),
					urgent_until = case when $3 then $6 else urgent_until end,
					orders_due_at = case when $3 and (orders_at is null or orders_at < $5)
						then least(orders_due_at, $4) else orders_due_at end
				where collection_id = any($1::int4[]) and provider_slug is not null`,
				[
					...[ids, new Date(at.getTime() + KEPT_CURRENT_MS), isUrgent, at, read],
					new Date(at.getTime() + URGENT_FOR_MS),
				],
			);
		},
		async follow(ids, at) {
			await db.execute(
				`update market_index.sync set followed_until = $2
				where collection_id = any($1::int4[]) and provider_slug is not null`,
				[ids, new Date(at.getTime() + KEPT_CURRENT_MS)],
			);
		},
		async traitValues(collectionId) {
			const rows = await db.query<{ type: string; value: string }>(
				`select trait_type as type, value from market_index.trait_count
				where collection_id = $1 limit $2`,
				[collectionId, TRAIT_VALUES_MAX],
			);
			if (rows.length >= TRAIT_VALUES_MAX) return null;
			return rows.map(({ type, value }) => {
				return { type: normaliseTrait(type), value: normaliseTrait(value) };
			});
		},
		readAt: (collectionId) => readOrdersAt(db, collectionId),
		async floor(collectionId) {
			const [row] = await db.query<{ native: string | null; at: Date | null }>(
				`select floor_native as native, floor_at as at from market_index.collection
				where id = $1`,
				[collectionId],
			);
			return row?.native ? { native: BigInt(row.native), at: row.at } : null;
		},
		normaliseTrait,
	};
}

/**
 * Returns when each side of a collection's book was last read to its end, and why one never was:
 * until then only pushed orders are known, which are no book.
 */
export async function readBookState(
	db: Queryable,
	{ collectionId, isOn }: { collectionId: number; isOn: boolean },
): Promise<BookState> {
	const [row] = await db.query<{
		listings: Date | null;
		offers: Date | null;
		isStranger: boolean;
	}>(
		`select orders_at as listings, offers_at as offers,
			provider_slug is null and named_at is not null as "isStranger"
		from market_index.sync where collection_id = $1`,
		[collectionId],
	);
	const { listings = null, offers = null, isStranger = false } = row ?? {};
	const unread = !isOn ? "provider_off" : isStranger ? "unknown_to_provider" : "not_read";
	return { listings, offers, unread };
}

async function readOrdersAt(db: Queryable, collectionId: number): Promise<Date | null> {
	const rows = await db.query<{ orders_at: Date | null }>(
		"select orders_at from market_index.sync where collection_id = $1",
		[collectionId],
	);
	return rows[0]?.orders_at ?? null;
}

/**
 * Returns the best price levels of both sides. Offers on the collection are bids, as they take any
 * token; offers on one token or on traits are not, as they take only some. Orders in a coin without
 * a rate are one more level, the last: without it a book would look empty.
 */
export async function readDepth(
	db: Queryable,
	{ collectionId, nowMs }: { collectionId: number; nowMs: number },
): Promise<Depth> {
	const side = (kind: number, order: "asc" | "desc") =>
		db.query<DepthLevel>(
			`(select unit_native as "unitNative", ${SUMS} and unit_native is not null
				group by unit_native order by unit_native ${order} limit ${DEPTH_LEVELS_MAX})
			union all
			select null, ${SUMS} and unit_native is null having count(*) > 0`,
			[collectionId, kind, new Date(nowMs)],
		);
	const [asks, bids] = await Promise.all([side(0, "asc"), side(2, "desc")]);
	return { asks, bids };
}

/** Renders an order for clients; prices are for one unit, `totalRaw` is for all of them. */
export function renderOrder(
	order: BookOrder,
	usdOf: (unitNative: string | null) => number | null,
): Order {
	const { currency, symbol, decimals, unitNative } = order;
	return {
		orderHash: order.orderHash,
		kind: order.kind,
		tokenId: order.tokenId,
		maker: order.maker,
		quantity: order.quantity,
		priceNative: displayNative(unitNative),
		priceUsd: usdOf(unitNative),
		amountRaw: (BigInt(order.totalRaw) / BigInt(order.quantity)).toString(),
		totalRaw: order.totalRaw,
		settlementCurrency: { symbol: symbol === "" ? null : symbol, address: currency, decimals },
		criteria: order.criteria,
		isPrivate: order.isPrivate,
		protocolAddress: order.protocolAddress,
		startsAt: displayTime(order.startsAt),
		expiresAt: displayTime(order.expiresAt),
		seenAt: order.seenAt.toISOString(),
	};
}

/**
 * Returns active listings with their tokens' ranks and traits. By `market_order_token`, each token
 * by its primary key. The rarest come first, so that a limit cuts off the least wanted.
 */
async function readTokenListings(
	db: Queryable,
	collectionId: number,
	at: Date,
): Promise<TokenListing[]> {
	const rows = await db.query<ListingRow>(
		`select o.token_id as "tokenId", t.rank, coalesce(t.traits, '[]') as traits,
			'0x' || encode(o.order_hash, 'hex') as "orderHash",
			'0x' || encode(o.maker, 'hex') as maker, o.quantity,
			'0x' || encode(o.currency, 'hex') as currency, o.symbol, o.total_raw as "totalRaw"
		from market_index.market_order as o
		left join market_index.token as t
			on t.collection_id = o.collection_id and t.token_id = o.token_id
		where o.collection_id = $1 and o.is_active and o.kind = 0 and not o.is_private
			and o.token_id is not null and o.quantity > 0
			and (o.starts_at is null or o.starts_at <= $2)
			and (o.expires_at is null or o.expires_at > $2)
		order by t.rank nulls last, o.total_raw / o.quantity, o.order_hash limit $3`,
		[collectionId, at, TOKEN_LISTINGS_MAX],
	);
	return rows.map(({ quantity, totalRaw, ...row }) => {
		return { ...row, quantity: BigInt(quantity), totalRaw: BigInt(totalRaw) };
	});
}
