// Decides what the world's actors list, bid and cancel in one block.

import { type Address, zeroAddress } from "viem";
import { createPrng, type Prng } from "../../createPrng.ts";
import { addresses } from "../../knownContracts.ts";
import { endOrder } from "../market/applyBlock.ts";
import {
	type BookOrder,
	type Collection,
	type Currency,
	type Market,
	type MarketChange,
	pushEvent,
	type Trait,
	unitEther,
} from "../market/Market.ts";
import { draftOrder, type Terms } from "./fulfilment.ts";

/** The limits between the best bid and the lowest ask: in ether, for one unit. */
export type Edges = {
	/** Returns the wanted price, or a higher one where it would meet a bid. */
	askFor(ether: number, currency: Currency): number;
	/**
	 * Returns the wanted price, or a lower one where it would meet an ask; null where none is
	 * possible.
	 */
	bidFor(ether: number): number | null;
};

/** The makers of the book's orders, and the seed of their actions. Sellers only sell. */
export type Quoting = {
	seed: number;
	actors: readonly Address[];
	sellers?: readonly Address[];
};

type Desk = { market: Market; collection: Collection; prng: Prng; quoting: Quoting; timeS: number };

/** Prices have four decimals, and the lowest is ten steps. */
const STEP = 0.0001;
const STEPS_MIN = 10;
/**
 * A coin's rate differs from ours by up to 4 % (`feeds/usdAnswer`). A price in one counts as that
 * much less; otherwise readers who use the feed's rate would see a crossed book.
 */
const COIN_DOUBT = 0.05;

/** Shares of the current price: an order outside of them is cancelled by its maker. */
const BID_MAX = 0.97;
const ASK_MIN = 0.85;
const ASK_MAX = 1.35;

const LISTED_SHARE = 0.12;
const LISTINGS_WANTED_MAX = 60;
const OFFERS_WANTED = { item_offer: 6, collection_offer: 4, trait_offer: 3 };
const ORDERS_A_BLOCK_MAX = 8;
const COIN_SHARE = 0.08;
const HOUR_S = 3_600;
const STEPS_PER_ETHER = 10_000;

/**
 * Returns what the world's actors list, bid and cancel in one block.
 *
 * The numbers depend on the seed and the block alone, so the same chain has the same book, to the
 * last hash, after every start.
 */
export function quoteBlock(market: Market, quoting: Quoting): MarketChange[] {
	const { number, timeS } = market.head;
	const prng = createPrng((quoting.seed ^ Math.imul(number + 1, 0x9e37_79b1)) >>> 0);
	const changes: MarketChange[] = [];
	for (const collection of market.collections.values()) {
		const desk = { market, collection, prng, quoting, timeS };
		changes.push(...takeBack(desk));
		const open = Map.groupBy(collection.open, (order) => order.kind);
		changes.push(...withdraw(desk, open.get("listing") ?? []));
		const lacking = listingsWanted(collection) - (open.get("listing")?.length ?? 0);
		const listings = rate(prng, lacking);
		for (let n = 0; n < listings; n++) changes.push(...list(desk));
		for (const kind of ["item_offer", "collection_offer", "trait_offer"] as const) {
			const offers = rate(prng, OFFERS_WANTED[kind] - (open.get(kind)?.length ?? 0));
			for (let n = 0; n < offers; n++) changes.push(...bid(desk, kind));
		}
	}
	return changes;
}

/**
 * Returns the prices that an order may have without crossing another: a bid at an ask's price would
 * simply buy.
 *
 * A listing counts also while its seller has given the token away: it may become valid again, and
 * must then be above later bids.
 */
function edgesOf({ open }: Collection): Edges {
	let bestBid = 0;
	let lowestAsk = Number.POSITIVE_INFINITY;
	for (const order of open) {
		const ether = unitEther(order);
		const sure = ether * sureShare(order.currency);
		if (order.kind === "listing") lowestAsk = Math.min(lowestAsk, sure);
		else bestBid = Math.max(bestBid, ether);
	}
	return {
		askFor: (ether, currency) => Math.max(ether, (bestBid + STEP) / sureShare(currency)),
		bidFor(ether) {
			const below = Math.round(lowestAsk / STEP) - 1;
			return below < STEPS_MIN ? null : Math.min(ether, below * STEP);
		},
	};
}

/**
 * Returns orders that no longer fit the price. Without cancelling them the book would stay at the
 * old price: no bid goes above an old ask, and no ask below an old bid.
 */
function staleOrders({ open }: Collection, goingPrice: number): BookOrder[] {
	return [...open].filter((order) => {
		const share = unitEther(order) / goingPrice;
		if (order.kind !== "listing") return share > BID_MAX;
		return share < ASK_MIN || share > ASK_MAX;
	});
}

/** Cancels orders that no longer fit the price. */
function takeBack({ market, collection, timeS }: Desk): MarketChange[] {
	const price = goingPrice(collection);
	if (price === null) return [];
	return staleOrders(collection, price).map((order) => {
		endOrder(market, order, "CANCELLED");
		return { kind: "gone", order, timeS };
	});
}

/** Returns one unit's price in ether: the price of sales, else the mint price, else null. */
function goingPrice({ logPrice, facts }: Collection): number | null {
	if (logPrice !== null) return Math.exp(logPrice);
	const minted = Number(facts.mint?.priceRaw ?? 0n) / 1e18;
	return minted > 0 ? minted * 1.2 : null;
}

/** Cancels a listing now and then, more often where too much is listed. */
function withdraw(desk: Desk, listings: readonly BookOrder[]): MarketChange[] {
	const { market, collection, prng, timeS } = desk;
	const crowded = listings.length > listingsWanted(collection);
	const changesMind = prng.chance(crowded ? 0.5 : 0.02);
	if (listings.length === 0 || !changesMind) return [];
	const order = prng.pick(listings);
	endOrder(market, order, "CANCELLED");
	return [{ kind: "gone", order, timeS }];
}

function listingsWanted({ ids, facts }: Collection): number {
	// An edition has many holders, and some of them sell.
	if (facts.standard === "erc1155") return Math.min(LISTINGS_WANTED_MAX, ids.length);
	return Math.min(LISTINGS_WANTED_MAX, Math.ceil(ids.length * LISTED_SHARE));
}

/** Returns the number of new orders in a block: the more are missing, the more come. */
function rate(prng: Prng, lacking: number): number {
	return Math.min(ORDERS_A_BLOCK_MAX, prng.count(0.03 + 0.06 * Math.max(0, lacking)));
}

function list(desk: Desk): MarketChange[] {
	const { collection, prng, quoting, market } = desk;
	const price = goingPrice(collection);
	if (collection.ids.length === 0 || price === null) return [];
	const tokenId = prng.pick(collection.ids);
	const holders = [...(collection.holders.get(tokenId) ?? [])];
	const [maker, held] = holders[prng.int(Math.max(1, holders.length))] ?? [];
	const spread = Math.exp(0.05 + prng.gauss() * 0.1);
	const inCoin = prng.chance(COIN_SHARE);
	const days = 1 + prng.int(4);
	const units = BigInt(1 + prng.int(Math.min(Number(held ?? 1n), 6)));
	const key = maker && collection.facts.conduitKeys.get(maker);
	const isKnown = maker && [...quoting.actors, ...(quoting.sellers ?? [])].includes(maker);
	if (!key || !isKnown || market.retired.has(maker)) return [];
	// A seller lists a token once; a new price comes after the old order ended.
	for (const order of collection.open) {
		if (order.kind === "listing" && order.tokenId === tokenId && order.maker === maker) return [];
	}
	const currency = (inCoin ? coinOf(market) : undefined) ?? etherOfMarket(market);
	return place(desk, {
		kind: "listing",
		maker,
		conduitKey: key,
		tokenId,
		units,
		...priced(currency, edgesOf(collection).askFor(price * spread, currency)),
		...lasting(desk, days * 24 * HOUR_S),
	});
}

/**
 * Returns the payment token that is neither ether nor WETH, where the world has one with a rate.
 */
function coinOf(market: Market): Currency | undefined {
	return [...market.currencies.values()].find(
		({ decimals, etherPerUnit }) => etherPerUnit > 0 && etherPerUnit < 1 && decimals >= 4,
	);
}

function etherOfMarket(market: Market): Currency {
	const ether = market.currencies.get(zeroAddress);
	if (!ether) throw new Error("a market without ether");
	return ether;
}

function place(desk: Desk, terms: Omit<Terms, "salt">): MarketChange[] {
	const { market, collection, timeS } = desk;
	const salt = (BigInt(desk.quoting.seed) << 96n) + (BigInt(market.seq + 1) << 8n) + 1n;
	const order = draftOrder(market, collection, { ...terms, salt });
	market.orders.set(order.hash, order);
	collection.open.add(order);
	const { kind, tokenId, units, maker, totalRaw, currency } = order;
	const event = pushEvent(market, {
		type: kind,
		timeS,
		collection,
		tokenId,
		quantity: units,
		transaction: null,
		order,
		orderHash: order.hash,
		from: maker,
		to: null,
		payment: { totalRaw, currency },
		isAcceptedOffer: false,
	});
	return [event];
}

/** Rounds to four decimals of an ether, as people type prices. */
function priced(currency: Currency, ether: number): { currency: Currency; unitRaw: bigint } {
	const steps = Math.max(10, Math.round(ether * STEPS_PER_ETHER));
	const units = steps / STEPS_PER_ETHER / currency.etherPerUnit;
	const unitRaw = BigInt(Math.round(units * 10_000)) * 10n ** BigInt(currency.decimals - 4);
	return { currency, unitRaw };
}

function lasting({ timeS }: Desk, seconds: number): { startS: number; endS: number } {
	return { startS: timeS, endS: timeS + seconds };
}

function bid(desk: Desk, kind: "item_offer" | "collection_offer" | "trait_offer"): MarketChange[] {
	const { collection, prng, quoting, market } = desk;
	const { facts } = collection;
	const weth = market.currencies.get(lower(addresses.weth));
	const price = goingPrice(collection);
	const maker = quoting.actors[prng.int(Math.max(1, quoting.actors.length))];
	const discount = 0.8 + prng.next() * 0.15;
	const hours = 6 + prng.int(42);
	const anyToken = collection.ids[prng.int(Math.max(1, collection.ids.length))];
	const traits = [...facts.traitIds.values()];
	const trait = existing(collection, traits[prng.int(Math.max(1, traits.length))]);
	const key = maker && facts.conduitKeys.get(maker);
	if (!weth || !maker || !key || price === null || anyToken === undefined) return [];
	const isOwn = collection.holders.get(anyToken)?.has(maker);
	if (market.retired.has(maker) || (kind === "item_offer" && isOwn)) return [];
	if (kind !== "item_offer" && facts.standard === "erc1155") return [];
	if (kind === "trait_offer" && !trait) return [];
	const ether = edgesOf(collection).bidFor(price * discount);
	if (ether === null) return [];
	return place(desk, {
		kind,
		maker,
		conduitKey: key,
		tokenId: kind === "item_offer" ? anyToken : null,
		units: 1n,
		...(kind === "trait_offer" && trait && { trait }),
		...priced(weth, ether),
		...lasting(desk, hours * HOUR_S),
	});
}

function lower(address: Address): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}

/**
 * Returns only those ids of a trait that are minted by now: the contract was read at another time.
 */
function existing(
	{ holders }: Collection,
	entry: { trait: Trait; ids: bigint[] } | undefined,
): { trait: Trait; ids: bigint[] } | undefined {
	const ids = entry?.ids.filter((id) => holders.has(id)) ?? [];
	return entry && ids.length > 0 ? { trait: entry.trait, ids } : undefined;
}

/** Returns the share of a price in this currency that is certain. */
function sureShare({ etherPerUnit }: Currency): number {
	return etherPerUnit === 1 ? 1 : 1 - COIN_DOUBT;
}
