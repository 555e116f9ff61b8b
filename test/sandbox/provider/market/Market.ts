// Describes the market's state, and reads prices and listings from it.

import type { Address, Hex } from "viem";
import { zeroAddress } from "viem";
import type { OrderParameters } from "../../seaportOrder.ts";
import type { Actor, World } from "../../World.ts";

/** A payment currency. Amounts are compared in ether; 0 for a token without a rate. */
export type Currency = {
	address: Address;
	symbol: string;
	name: string;
	decimals: number;
	etherPerUnit: number;
};

export type Trait = { type: string; value: string };

/** A token's metadata. */
export type Metadata = {
	uri: string;
	name: string | null;
	description: string | null;
	image: string | null;
	traits: Trait[];
};

export type OrderKind = "listing" | "item_offer" | "collection_offer" | "trait_offer";
export type OrderStatus = "ACTIVE" | "INACTIVE" | "FULFILLED" | "EXPIRED" | "CANCELLED";

/** One order of the book. It has its hash from the start; it is signed when first requested. */
export type BookOrder = {
	seq: number;
	hash: Hex;
	kind: OrderKind;
	slug: string;
	/** Null for an offer on any token, or on any with a trait. */
	tokenId: bigint | null;
	traits: Trait[];
	/** The ids of a trait offer's Merkle root. */
	traitIds: bigint[];
	maker: Address;
	parameters: OrderParameters;
	currency: Currency;
	/** The price of all `units` together. */
	totalRaw: bigint;
	units: bigint;
	remaining: bigint;
	status: OrderStatus;
	/** Counts changes of this order: the stream's `version`. */
	revision: number;
	createdS: number;
	expiresS: number;
};

/** An event of a collection, on chain or in the book; the newest has the highest `seq`. */
export type MarketEvent = {
	seq: number;
	type: "sale" | "transfer" | "mint" | OrderKind;
	timeS: number;
	collection: Collection;
	tokenId: bigint | null;
	quantity: bigint;
	transaction: Hex | null;
	order: BookOrder | null;
	orderHash: Hex | null;
	/** Seller, sender, or maker. */
	from: Address;
	/** Buyer or recipient. */
	to: Address | null;
	payment: { totalRaw: bigint; currency: Currency } | null;
	/** True: an offer was accepted, so its maker bought. */
	isAcceptedOffer: boolean;
};

export type MintTerms = { priceRaw: bigint; maxSupply: bigint | null };

/** What a contract tells about itself. */
export type ContractFacts = {
	address: Address;
	standard: "erc721" | "erc1155";
	name: string;
	description: string | null;
	image: string | null;
	owner: Address | null;
	mint: MintTerms | null;
	royalty: { recipient: Address; percent: number } | null;
	/**
	 * The conduit key by which each actor lets Seaport move its tokens; without one it cannot sell.
	 */
	conduitKeys: Map<Address, Hex>;
	/** Ids by trait among the first tokens, as read when the collection was found. */
	traitIds: Map<string, { trait: Trait; ids: bigint[] }>;
};

export type Collection = {
	slug: string;
	facts: ContractFacts;
	createdS: number;
	/** In the order of their first mint. */
	ids: bigint[];
	holders: Map<bigint, Map<Address, bigint>>;
	units: bigint;
	/** The natural logarithm of one unit's current price in ether; null before the first sale. */
	logPrice: number | null;
	totals: { sales: number; ether: number };
	/** The newest sales, oldest first. */
	sales: { timeS: number; ether: number }[];
	/** The newest events, oldest first. */
	events: MarketEvent[];
	/** Orders that are open or may become so again. */
	open: Set<BookOrder>;
};

export type MarketChange =
	| { kind: "event"; event: MarketEvent }
	| { kind: "gone" | "invalid" | "valid"; order: BookOrder; timeS: number }
	| { kind: "metadata"; collection: Collection; ids: readonly bigint[]; timeS: number };

/** The whole state: the chain's, and the book. A pure function of chain and seed. */
export type Market = {
	collections: Map<string, Collection>;
	byAddress: Map<Address, Collection>;
	currencies: Map<Address, Currency>;
	orders: Map<Hex, BookOrder>;
	/** Makers whose counter changed: their orders signed with counter 0 are void. */
	retired: Set<Address>;
	head: { number: number; hash: string; timeS: number };
	seq: number;
};

export const ether: Currency = {
	address: zeroAddress,
	symbol: "ETH",
	name: "Ether",
	decimals: 18,
	etherPerUnit: 1,
};

/** Older events are dropped: the provider's clients page through the newest. */
const EVENTS_PER_COLLECTION_MAX = 6_000;
/** Enough for a week of any collection here; all-time figures are counted separately. */
export const SALES_PER_COLLECTION_MAX = 20_000;
/** How many ended orders can still be found by their hash. */
export const ORDERS_MAX = 30_000;
export const COLLECTIONS_MAX = 500;

/** The owner is no actor of the planner. */
const OUTSIDER = -1;

/** Returns open listings that can be filled, the cheapest in ether first. */
export function listingsOf(collection: Collection): BookOrder[] {
	return [...collection.open]
		.filter((order) => order.kind === "listing" && order.status === "ACTIVE")
		.sort((a, b) => unitEther(a) - unitEther(b) || a.seq - b.seq);
}

/** Returns the price of one unit of an order, in ether. */
export function unitEther(order: BookOrder): number {
	return etherOf(order.totalRaw, order.currency) / Number(order.units);
}

/** Returns an amount in ether, as a double; 0 without a rate. */
export function etherOf(raw: bigint, currency: Currency): number {
	return unitsOf(raw, currency) * currency.etherPerUnit;
}

/** Returns an amount in whole units of its currency, as the provider's figures are. */
export function unitsOf(raw: bigint, { decimals }: Currency): number {
	return Number(raw) / 10 ** decimals;
}

/** Returns the units of each holder, the largest first. */
export function holdersOf(collection: Collection): [Address, bigint][] {
	const units = new Map<Address, bigint>();
	for (const holders of collection.holders.values()) {
		for (const [holder, held] of holders) units.set(holder, (units.get(holder) ?? 0n) + held);
	}
	return [...units].sort(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x > y ? -1 : 1));
}

/** Returns the number of sales since a time, and their sum in ether. */
export function salesSince(
	{ sales }: Collection,
	sinceS: number,
): { sales: number; ether: number } {
	let count = 0;
	let ether = 0;
	for (let n = sales.length - 1; n >= 0; n--) {
		const sale = sales[n];
		if (!sale || sale.timeS < sinceS) break;
		count += 1;
		ether += sale.ether;
	}
	return { sales: count, ether };
}

/**
 * Updates the planner's owners from the chain.
 *
 * The planner records its own trades only. But people can buy from the book: planning the sale of a
 * token that an actor no longer has would revert, and a start whose catch-up reverts discards the
 * whole world.
 */
export function matchWorld(world: World, market: Market, actors: readonly Actor[]): void {
	const indexes = new Map<Address, number>(
		actors.map(({ address }, index) => [lower(address), index]),
	);
	for (const state of world.collections) {
		const collection = market.byAddress.get(lower(state.address));
		if (!collection) continue;
		state.minted = Number(collection.units);
		if (collection.facts.standard === "erc721") state.owners = ownersOf(collection, indexes);
		for (const [index, row] of state.units.entries()) {
			const holders = collection.holders.get(BigInt(index + 1));
			for (const [actor, { address }] of actors.entries()) {
				row[actor] = Number(holders?.get(lower(address)) ?? 0n);
			}
		}
	}
}

/** Returns a market before its first block. */
export function newMarket(): Market {
	return {
		collections: new Map(),
		byAddress: new Map(),
		currencies: new Map<Address, Currency>([[ether.address, ether]]),
		orders: new Map(),
		retired: new Set(),
		head: { number: -1, hash: "", timeS: 0 },
		seq: 0,
	};
}

/** Adds a collection to the market under its name; if the name is taken, with a number. */
export function addCollection(market: Market, facts: ContractFacts, createdS: number): Collection {
	const wanted = slugOf(facts.name) || facts.address;
	let slug = wanted;
	for (let n = 2; market.collections.has(slug); n++) slug = `${wanted}-${n}`;
	const collection: Collection = {
		slug,
		facts,
		createdS,
		ids: [],
		holders: new Map(),
		units: 0n,
		logPrice: null,
		totals: { sales: 0, ether: 0 },
		sales: [],
		events: [],
		open: new Set(),
	};
	market.collections.set(slug, collection);
	market.byAddress.set(facts.address, collection);
	return collection;
}

/** Stores an event with its collection, and returns it as a change. */
export function pushEvent(market: Market, event: Omit<MarketEvent, "seq">): MarketChange {
	market.seq += 1;
	const noted = { seq: market.seq, ...event };
	const { events } = event.collection;
	events.push(noted);
	// Cut in blocks: removing one at a time would copy the whole list for each event.
	if (events.length > EVENTS_PER_COLLECTION_MAX * 1.2) {
		events.splice(0, events.length - EVENTS_PER_COLLECTION_MAX);
	}
	return { kind: "event", event: noted };
}

function lower(address: Address): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}

function ownersOf({ holders }: Collection, indexes: Map<Address, number>): number[] {
	return Array.from({ length: holders.size }, (_, n) => {
		const [holder] = holders.get(BigInt(n + 1))?.keys() ?? [];
		return holder === undefined ? OUTSIDER : (indexes.get(holder) ?? OUTSIDER);
	});
}

function slugOf(name: string): string {
	return name
		.toLowerCase()
		.replaceAll(/[^a-z0-9]+/g, "-")
		.replaceAll(/^-+|-+$/g, "")
		.slice(0, 80);
}
