import type { Address, Hex } from "viem";
import type { OrderParameters } from "../../order/Order.ts";

/** What people pay with. Amounts compare through ether; 0 for a token nobody has a rate for. */
export type Currency = {
	address: Address;
	symbol: string;
	name: string;
	decimals: number;
	etherPerUnit: number;
};

export type Trait = { type: string; value: string };

/** What a token says of itself. */
export type Metadata = {
	uri: string;
	name: string | null;
	description: string | null;
	image: string | null;
	traits: Trait[];
};

export type OrderKind = "listing" | "item_offer" | "collection_offer" | "trait_offer";
export type OrderStatus = "ACTIVE" | "INACTIVE" | "FULFILLED" | "EXPIRED" | "CANCELLED";

/** One order of the book. Its hash is known at once; it is signed when somebody asks for it. */
export type BookOrder = {
	seq: number;
	hash: Hex;
	kind: OrderKind;
	slug: string;
	/** Null for an offer on any token, or on any with a trait. */
	tokenId: bigint | null;
	traits: Trait[];
	/** Ids that a trait offer's Merkle root is made of. */
	traitIds: bigint[];
	maker: Address;
	parameters: OrderParameters;
	currency: Currency;
	/** For all `units` together. */
	totalRaw: bigint;
	units: bigint;
	remaining: bigint;
	status: OrderStatus;
	/** Counts what happened to this order: the stream's `version`. */
	revision: number;
	createdS: number;
	expiresS: number;
};

/** What happened in a collection, on chain or in the book; newest has the highest `seq`. */
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
	/** An offer that was taken: its maker bought. */
	isAcceptedOffer: boolean;
};

export type MintTerms = { priceRaw: bigint; maxSupply: bigint | null };

/** What a contract says of itself. */
export type ContractFacts = {
	address: Address;
	standard: "erc721" | "erc1155";
	name: string;
	description: string | null;
	image: string | null;
	owner: Address | null;
	mint: MintTerms | null;
	royalty: { recipient: Address; percent: number } | null;
	/** With which conduit key each actor lets Seaport move its tokens; without one he sells not. */
	conduitKeys: Map<Address, Hex>;
	/** Ids by trait among the first tokens, as they were when the collection was found. */
	traitIds: Map<string, { trait: Trait; ids: bigint[] }>;
};

export type Collection = {
	slug: string;
	facts: ContractFacts;
	createdS: number;
	/** In order of their first mint. */
	ids: bigint[];
	holders: Map<bigint, Map<Address, bigint>>;
	units: bigint;
	/** Natural logarithm of the going price of one unit in ether; null before the first sale. */
	logPrice: number | null;
	totals: { sales: number; ether: number };
	/** The newest sales, oldest first. */
	sales: { timeS: number; ether: number }[];
	/** The newest events, oldest first. */
	events: MarketEvent[];
	/** Orders that are open or may be again. */
	open: Set<BookOrder>;
};

export type MarketChange =
	| { kind: "event"; event: MarketEvent }
	| { kind: "gone" | "invalid" | "valid"; order: BookOrder; timeS: number }
	| { kind: "metadata"; collection: Collection; ids: readonly bigint[]; timeS: number };

/** The whole state: what the chain says and the book on top. A pure function of chain and seed. */
export type Market = {
	collections: Map<string, Collection>;
	byAddress: Map<Address, Collection>;
	currencies: Map<Address, Currency>;
	orders: Map<Hex, BookOrder>;
	/** Makers whose counter moved: what they signed with 0 is void. */
	retired: Set<Address>;
	head: { number: number; hash: string; timeS: number };
	seq: number;
};
