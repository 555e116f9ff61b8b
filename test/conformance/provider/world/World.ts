import type { Hex } from "viem";

/** A currency that prices are in. */
export type Coin = { symbol: string; address: Hex; decimals: number };

/** One contract; `chain` is spelled as the provider spells it. */
export type Place = { chain: string; address: Hex; standard: "erc721" | "erc1155" };

/** `value` is any JSON, as the document says. */
export type WorldTrait = { trait_type: string; value: unknown; display_type?: string };

export type WorldToken = {
	place: Place;
	id: string;
	name: string;
	imageUrl: string | null;
	displayImageUrl: string | null;
	traits: WorldTrait[];
	owner: Hex;
};

export type Price = { total: bigint; coin: Coin };

export type WorldEvent = {
	/** Counts events up: of two events in the same second, the later one has the larger number. */
	number: number;
	kind: "sale" | "transfer" | "mint";
	atS: number;
	token: WorldToken;
	from: Hex;
	to: Hex;
	quantity: number;
	price: Price | null;
	transaction: Hex | null;
	orderHash: Hex | null;
};

export type WorldOrder = {
	hash: Hex;
	kind: "listing" | "item_offer" | "collection_offer";
	/** Null for an offer on any token. */
	token: WorldToken | null;
	place: Place;
	maker: Hex;
	quantity: number;
	price: Price;
	createdS: number;
	startS: number;
	endS: number;
	/** Only this account may fill it. */
	taker: Hex | null;
};

export type WorldStage = {
	uuid: string;
	type: string;
	label: string;
	price: bigint;
	/** What it is paid in; left out for ether. */
	coin?: Coin;
	startS: number;
	endS: number;
};

export type WorldDrop = { stages: WorldStage[]; totalSupply: string; maxSupply: string };

/** What the provider claims in its figures where that is not what its events add up to. */
export type Claims = {
	floor?: { price: number; symbol: string };
	owners?: number;
	totalSupply?: number;
	total?: { volume: number; volumeSymbol: string; sales: number };
	day?: { volume: number; volumeSymbol: string; sales: number };
};

export type WorldCollection = {
	slug: string;
	name: string;
	description: string;
	imageUrl: string;
	createdMs: number;
	places: Place[];
	tokens: WorldToken[];
	/** Newest first. */
	events: WorldEvent[];
	orders: WorldOrder[];
	claims: Claims;
	drop: WorldDrop | null;
};

export type World = {
	seed: number;
	/** When the world was made: everything in it happened before. */
	madeMs: number;
	collections: Map<string, WorldCollection>;
};
