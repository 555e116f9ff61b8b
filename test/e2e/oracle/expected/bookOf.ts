// Calculates the expected order book of a collection.

import { type Check, type Expected, notAFigure } from "#test/e2e/oracle/differences.ts";
import { ether, inDollars } from "#test/e2e/oracle/expected/worthOf.ts";
import type { Rates, Told, View } from "#test/e2e/oracle/model.ts";

/** A listing or an offer in the provider's words, read by each field's meaning. */
export type ToldOrder = {
	hash: string;
	tokenId: string | null;
	total: bigint;
	units: bigint;
	symbol: string;
	decimals: number;
	currency: string;
	maker: string;
	startS: number;
	endS: number;
	/** The price of a unit in wei at the rates of the answer; null without one. */
	unit: bigint | null;
	words: any;
};

type Unpriced = Omit<ToldOrder, "unit">;

/** Says whether the book was read: only then offers are asked for. */
const isBookRead = ({ told }: View): boolean => told.offers.length > 0;

/** Returns the price of a unit in wei; null where its currency has no rate. */
export const unitOf = ({ unit }: ToldOrder): bigint | null => unit;

/** The time until a book is stored: the test advances the clock while one may be under way. */
const READ_MS = 600_000;
const state = notAFigure("a state");

/** Why a side of a book is null there: the provider may not know the collection. */
const UNREAD: Check = (actual) => {
	const reasons = ["not_read", "unknown_to_provider"];
	return reasons.includes(String(actual)) ? undefined : `${actual} is no reason of an unread book`;
};

export const PAGE_END = { nextCursor: null, hasMore: false };

export const coinOf = ({ symbol, currency, decimals }: ToldOrder) => ({
	symbol,
	address: currency,
	decimals,
});

/** The gas price of the node of the one chain that has a node, in wei. */
const GAS_PRICE = 10n ** 9n;

/** Returns a side of the book as the routes list it: the best price first. */
export function ordersOf(
	view: View,
	side: "listings" | "offers",
	{ nowMs, body }: { nowMs: number; body: any },
): Expected {
	const etherDollars = view.rates.dollarsAt(nowMs);
	const isListing = side === "listings";
	const orders = isListing ? wholeAsks(view) : bidsOf(view);
	if (orders === null || body.bookReadAt === null) {
		return { data: null, reason: UNREAD, page: PAGE_END, bookReadAt: null };
	}
	const sorted = alike(best(orders, isListing ? 1 : -1), body.data ?? []);
	return {
		data: sorted.map((order) => ({
			...orderOf(order, side, etherDollars),
			...{ chain: view.chain, contractAddress: view.address, slug: state },
			// What is known of tokens is checked where tokens are asked for.
			...{ tokenName: state, imageUrl: state, rank: state, traits: state, explorerUrl: state },
		})),
		reason: null,
		page: PAGE_END,
		bookReadAt: readAtOf(view),
	};
}

/** Returns levels of the book: orders of one price together. */
export function depthOf(view: View, body: any): Expected {
	const collectionBids = bidsOf(view)?.filter(({ tokenId }) => tokenId === null) ?? null;
	const asks = wholeAsks(view);
	const side = (orders: readonly ToldOrder[] | null, sign: number): Expected =>
		orders && levelsOf(best(orders, sign));
	const isRead = asks !== null && collectionBids !== null && body.bookReadAt !== null;
	return {
		// Of a book that is being read one side may be there before the other.
		asks: isRead || body.asks !== null ? side(asks, 1) : null,
		bids: isRead || body.bids !== null ? side(collectionBids, -1) : null,
		reason: isRead ? null : UNREAD,
		bookReadAt: readAtOf(view),
		observedAt: state,
	};
}

/** Returns the offers of the slug, by the newest answer. */
export function bidsOf({ told, rates, address }: View): ToldOrder[] | null {
	const newest = newestOf(told.offers);
	if (!newest) return null;
	return newest.answer.offers.map(priceAt(readOffer, rates, newest)).filter((one: ToldOrder) => {
		return one.words.protocol_data.parameters.consideration[0].token === address;
	});
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

/**
 * Returns what buying so many units of the stored book costs, in ether and in dollars at present
 * rates.
 */
export function quoteOf(
	view: View,
	quantity: number,
	{ nowMs, body }: { nowMs: number; body: any },
): Expected {
	const all = wholeAsks(view);
	const asks = all && alike(best(all, 1), body.listings);
	const taken = asks?.slice(0, quantity) ?? [];
	const subtotal = sumOf(taken, unitOf);
	const etherDollars = view.rates.dollarsAt(nowMs);
	const amount = (wei: bigint | null) => ({
		native: wei === null ? null : ether(wei),
		nativeRaw: wei === null ? null : wei.toString(),
		usd: inDollars(wei === null ? null : ether(wei), etherDollars),
	});
	const gasPrice = view.lanesUntilMs === null ? null : GAS_PRICE;
	const isNone = taken.length === 0 || gasPrice === null;
	const gas = isNone ? null : BigInt(body.gas.units) * gasPrice;
	const fees = sumOf(taken, feeOf);
	return {
		chain: view.chain,
		contractAddress: view.address,
		quantity,
		availableUnits: asks && taken.length,
		bookReadAt: readAtOf(view),
		price: amount(subtotal === null ? null : subtotal / BigInt(taken.length)),
		subtotal: amount(subtotal),
		fees: { ...amount(fees), nativeRaw: roundedUp(fees, taken.length), includedInPrice: true },
		gas: {
			...amount(gas),
			units: notAFigure("an estimate of the service's own"),
			priceWei: gasPrice === null ? null : gasPrice.toString(),
		},
		total: amount(subtotal === null || gas === null ? null : subtotal + gas),
		listings: taken.map((order) => ({
			orderHash: order.hash,
			tokenId: order.tokenId,
			units: "1",
			priceNative: nativeOf(order),
			totalRaw: order.total.toString(),
			settlementCurrency: coinOf(order),
			expiresAt: new Date(order.endS * 1_000).toISOString(),
		})),
		observedAt: notAFigure("a time at which the service did something"),
	};
}

/** Returns the listings, if the book was read; else null. */
function wholeAsks(view: View): ToldOrder[] | null {
	return isBookRead(view) ? asksOf(view) : null;
}

/** Returns the listings of one contract that any account may fill, by the newest whole answer. */
export function asksOf({ told, rates, address }: View): ToldOrder[] | null {
	const newest = newestOf([...told.listings, ...told.allListings]);
	if (!newest) return null;
	return newest.answer.listings
		.map(priceAt(readListing, rates, newest))
		.filter((one: ToldOrder) => {
			return one.words.protocol_data.parameters.offer[0].token === address;
		});
}

export function newestOf(all: readonly Told[]): Told | null {
	return all.reduce<Told | null>((best, one) => (best && best.atMs > one.atMs ? best : one), null);
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

function levelsOf(orders: readonly ToldOrder[]): Expected[] {
	const levels = Map.groupBy(orders, (order) => String(unitOf(order)));
	return [...levels.values()].map((level) => ({
		priceNative: level[0] ? nativeOf(level[0]) : null,
		orders: level.length,
		units: level.reduce((sum, { units }) => sum + units, 0n).toString(),
	}));
}

function priceAt(read: (words: any) => Unpriced, rates: Rates, { atMs }: Told) {
	return (words: any): ToldOrder => {
		const order = read(words);
		const { currency, total, units } = order;
		return { ...order, unit: rates.weiOf(currency, total / units, atMs) };
	};
}

function readOffer(words: any): Unpriced {
	const { offer, consideration } = words.protocol_data.parameters;
	return readOrder(words, { goods: consideration[0], money: offer[0], price: words.price });
}

function readOrder(words: any, { goods, money, price }: { goods: any; money: any; price: any }) {
	const { startTime, endTime, offerer } = words.protocol_data.parameters;
	return {
		hash: words.order_hash,
		tokenId: goods.itemType >= 4 ? null : goods.identifierOrCriteria,
		total: BigInt(price.value),
		units: BigInt(words.remaining_quantity),
		symbol: price.currency,
		decimals: price.decimals,
		currency: money.token,
		maker: offerer,
		startS: Number(startTime),
		endS: Number(endTime),
		words,
	};
}

/** Sums up a figure of the orders; null for no orders, and if one of them is unknown. */
function sumOf(
	orders: readonly ToldOrder[],
	of: (order: ToldOrder) => bigint | null,
): bigint | null {
	const parts = orders.map(of);
	if (parts.length === 0) return null;
	return parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0n);
}

/** Returns the part of a unit's price that others than the seller get. */
function feeOf(order: ToldOrder): bigint | null {
	const unit = unitOf(order);
	const { consideration } = order.words.protocol_data.parameters;
	const fees = consideration.filter(({ recipient }: any) => recipient !== order.maker);
	const raw = fees.reduce((sum: bigint, item: any) => sum + BigInt(item.startAmount), 0n);
	return unit === null ? null : (unit * raw) / order.total;
}

/** Checks a sum in which each listing's part is rounded up. */
function roundedUp(wei: bigint | null, parts: number): Expected {
	if (wei === null) return null;
	const check: Check = (actual) => {
		const over = BigInt(actual) - wei;
		return over >= 0n && over <= BigInt(parts) ? undefined : `${actual}, and not ${wei}`;
	};
	return check;
}

function readListing(words: any): Unpriced {
	const { offer, consideration } = words.protocol_data.parameters;
	return readOrder(words, { goods: offer[0], money: consideration[0], price: words.price.current });
}
