import type { Address, Hex } from "viem";
import type { OrderParameters } from "../../order/Order.ts";

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
