import type { Expected } from "#test/e2e/oracle/differences.ts";
import {
	asksOf,
	bidsOf,
	isBookRead,
	type ToldOrder,
	unitOf,
} from "#test/e2e/oracle/expected/bookOf.ts";
import { ether, inDollars } from "#test/e2e/oracle/expected/worthOf.ts";
import type { View } from "#test/e2e/oracle/Known.ts";
import { notAFigure } from "#test/e2e/oracle/notAFigure.ts";

/** The time until a book is stored: the test advances the clock while one may be under way. */
const READ_MS = 600_000;
const state = notAFigure("a state");

export const PAGE_END = { nextCursor: null, hasMore: false };

/** Returns a side of the book as the routes list it: the best price first. */
export function ordersOf(
	view: View,
	side: "listings" | "offers",
	{ nowMs, body }: { nowMs: number; body: any },
): Expected {
	const etherDollars = view.rates.dollarsAt(nowMs);
	const isListing = side === "listings";
	const orders = (isListing ? wholeAsks(view) : bidsOf(view)) ?? null;
	const sorted = orders && alike(best(orders, isListing ? 1 : -1), body.data ?? []);
	if (sorted?.length === 0 && body.bookReadAt === null) {
		// One side was read and the other was not: an empty one is unknown.
		return { data: null, page: PAGE_END, bookReadAt: null };
	}
	return {
		data: sorted && sorted.map((order) => orderOf(order, side, etherDollars)),
		page: PAGE_END,
		bookReadAt: readAtOf(view),
	};
}

/** Returns levels of the book: orders of one price together. */
export function depthOf(view: View, body: any): Expected {
	const collectionBids = bidsOf(view)?.filter(({ tokenId }) => tokenId === null) ?? null;
	const asks = wholeAsks(view);
	const side = (orders: readonly ToldOrder[] | null, sign: number): Expected => {
		const isUnread = orders === null || (orders.length === 0 && body.bookReadAt === null);
		return isUnread ? null : levelsOf(best(orders, sign));
	};
	return {
		asks: side(asks, 1),
		bids: side(collectionBids, -1),
		bookReadAt: readAtOf(view),
		observedAt: state,
	};
}

/** Returns the listings, if the book was read; else null. */
export function wholeAsks(view: View): ToldOrder[] | null {
	return isBookRead(view) ? asksOf(view) : null;
}

/** Returns an order as the routes and the streams show it. */
export function orderOf(
	order: ToldOrder,
	side: "listings" | "offers",
	etherDollars: number | null,
): Record<string, Expected> {
	const { words, units, total, tokenId } = order;
	const offer = tokenId === null ? "collection_offer" : "item_offer";
	return {
		orderHash: order.hash,
		kind: side === "listings" ? "listing" : offer,
		tokenId,
		maker: order.maker,
		quantity: units.toString(),
		priceNative: nativeOf(order),
		priceUsd: inDollars(nativeOf(order), etherDollars),
		amountRaw: (total / units).toString(),
		totalRaw: total.toString(),
		settlementCurrency: coinOf(order),
		criteria: [],
		isPrivate: false,
		protocolAddress: words.protocol_address,
		startsAt: new Date(order.startS * 1_000).toISOString(),
		expiresAt: new Date(order.endS * 1_000).toISOString(),
		seenAt: state,
	};
}

function levelsOf(orders: readonly ToldOrder[]): Expected[] {
	const levels = Map.groupBy(orders, (order) => String(unitOf(order)));
	return [...levels.values()].map((level) => ({
		priceNative: level[0] ? nativeOf(level[0]) : null,
		orders: level.length,
		units: level.reduce((sum, { units }) => sum + units, 0n).toString(),
	}));
}

export function readAtOf({ told }: View): Expected {
	if (told.offers.length === 0) return null;
	return (actual) => {
		if (actual === null) return undefined;
		const isThen = [...told.listings, ...told.allListings, ...told.offers].some(({ atMs }) => {
			return Math.abs(atMs - Date.parse(actual)) < READ_MS;
		});
		return isThen ? undefined : `${actual} is no time at which it was read`;
	};
}

export function nativeOf(order: ToldOrder): number | null {
	const unit = unitOf(order);
	return unit === null ? null : ether(unit);
}

export const coinOf = ({ symbol, currency, decimals }: ToldOrder) => ({
	symbol,
	address: currency,
	decimals,
});

/**
 * Sorts orders, the cheapest (1) or the dearest (-1) first; those without a price in ether come
 * last.
 */
export function best(orders: readonly ToldOrder[], sign: number): ToldOrder[] {
	return orders.toSorted((a, b) => {
		const [left, right] = [unitOf(a), unitOf(b)];
		if (left === null || right === null) return Number(left === null) - Number(right === null);
		if (left === right) return 0;
		return left < right ? -sign : sign;
	});
}

/** Returns orders of one price, or of none, in the order of the answer, which has no meaning. */
export function alike(
	orders: readonly ToldOrder[],
	told: readonly { orderHash: string }[],
): ToldOrder[] {
	const place = new Map(told.map(({ orderHash }, at) => [orderHash, at]));
	return [...Map.groupBy(orders, (order) => String(unitOf(order))).values()].flatMap((same) => {
		const placeOf = ({ hash }: ToldOrder) => place.get(hash) ?? Number.POSITIVE_INFINITY;
		return same.toSorted((a, b) => placeOf(a) - placeOf(b) || 0);
	});
}
