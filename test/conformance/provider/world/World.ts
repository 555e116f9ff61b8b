// Describes the provider's world: its coins, and what follows from its seed.

import { type Hex, keccak256, toHex } from "viem";

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

export type Random = {
	/** A whole number from 0 to `below` - 1. */
	below(below: number): number;
	pick<One>(from: readonly One[]): One;
};

const NATIVE = "0x0000000000000000000000000000000000000000";

/** Currencies of the world, each at its real address. */
export const coins = {
	eth: { symbol: "ETH", address: NATIVE, decimals: 18 },
	wethOnBase: {
		symbol: "WETH",
		address: "0x4200000000000000000000000000000000000006",
		decimals: 18,
	},
	wethOnEthereum: {
		symbol: "WETH",
		address: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
		decimals: 18,
	},
	usdcOnBase: {
		symbol: "USDC",
		address: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
		decimals: 6,
	},
	ape: { symbol: "APE", address: NATIVE, decimals: 18 },
	wape: {
		symbol: "WAPE",
		address: "0x48b62137edfa95a428d35c09e44256a739f6b557",
		decimals: 18,
	},
} as const satisfies Record<string, Coin>;

const UINT32 = 2 ** 32;

/** Makes numbers that follow from the seed alone (xorshift32). */
export function createRandom(seed: number): Random {
	let state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) >>> 0 || 1;
	const next = () => {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		state >>>= 0;
		return state / UINT32;
	};
	const below = (max: number) => Math.floor(next() * max);
	return {
		below,
		pick: (from) => {
			const one = from[below(from.length)];
			if (one === undefined) throw new Error("there is nothing to pick from");
			return one;
		},
	};
}

/** 20 bytes that follow from the text: an account or a contract. */
export function addressOf(text: string): Hex {
	return `0x${hashOf(text).slice(26)}`;
}

/** 32 bytes that follow from the text: a hash of a transaction or an order. */
export function hashOf(text: string): Hex {
	return keccak256(toHex(text));
}
