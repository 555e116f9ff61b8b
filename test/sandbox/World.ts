// Describes the state of the sandbox's traffic, and who acts in it.

import { type Address, getContractAddress, type Hex, isAddress, toHex } from "viem";
import { mnemonicToAccount, privateKeyToAddress } from "viem/accounts";
import { z } from "zod";
import { catalogue } from "./catalogue.ts";

/** An actor of the world. Anvil has the same key, so it signs transactions, and we sign orders. */
export type Actor = { address: Address; privateKey: Hex };

/** The input of a new world; `startS` is the time of its first block of traffic. */
export type WorldDraft = {
	seed: number;
	historyBlocks: number;
	startS: number;
	actors: readonly Actor[];
};

const address = z.custom<Address>((value) => typeof value === "string" && isAddress(value));
const CollectionState = z.object({
	key: z.string(),
	address,
	/** ERC-721: tokens minted. ERC-1155: units minted. */
	minted: z.int(),
	/** ERC-721: the owner's actor index by token id - 1; -1 where the owner is no actor. */
	owners: z.array(z.int()),
	/** ERC-1155: units by id - 1, then by actor. */
	units: z.array(z.array(z.int())),
	/** The natural logarithm of the current price in ether. */
	logPrice: z.number(),
	revealed: z.boolean(),
	/** The ordinal of the block of its launch, for the burst of mints after it. */
	launchedAt: z.int().nullable(),
});

/**
 * The planner's copy of a collection's state on chain; it stays equal because no planned
 * transaction reverts.
 */
export type CollectionState = z.infer<typeof CollectionState>;

const FeedState = z.object({
	of: z.enum(["eth", "coin"]),
	address,
	/** When its newest round was published. */
	roundAtS: z.int(),
});

/** The state that traffic needs to continue after a restart, as plain JSON. */
export const World = z.object({
	seed: z.int(),
	prngState: z.int(),
	firstBlock: z.int(),
	coin: address,
	/** Price feeds; empty in a world that was saved before they existed. */
	feeds: z.array(FeedState).default([]),
	collections: z.array(CollectionState),
	/** The next nonce by actor. */
	nonces: z.array(z.int()),
	salt: z.int(),
	/** Traffic blocks so far, and how many of them were history. */
	blocks: z.int(),
	historyBlocks: z.int(),
	/** How many were planned so far, by label: sales of each shape, mints, transfers. */
	counts: z.record(z.string(), z.int()),
});
export type World = z.infer<typeof World>;

const anvilMnemonic = "test test test test test test test test test test test junk";
/** Anvil's first ten accounts are left for people who try the service on this chain. */
const RESERVED_FOR_PEOPLE = 10;

/** Returns the world's actors, from anvil's own mnemonic after the first ten accounts. */
export function createActors(count: number): Actor[] {
	// The branch is derived once: mnemonicToAccount runs PBKDF2 at each call.
	const branch = mnemonicToAccount(anvilMnemonic, { path: "m/44'/60'/0'/0" }).getHdKey();
	return Array.from({ length: count }, (_, i) => {
		const key = branch.deriveChild(RESERVED_FOR_PEOPLE + i);
		if (!key.privateKey) throw new Error("a derived key without its private half");
		return {
			privateKey: toHex(key.privateKey),
			address: privateKeyToAddress(toHex(key.privateKey)),
		};
	});
}

/** Returns the world before its first block, with the addresses that collections will get. */
export function emptyWorld(draft: WorldDraft, coin: Address): World {
	const { seed, historyBlocks, actors } = draft;
	const collections = catalogue.map((plan, index) => ({
		key: plan.key,
		// The artist's first transaction deploys it, so the address depends on the mnemonic alone.
		address: getContractAddress({ from: actors[index]?.address ?? coin, nonce: 0n }),
		minted: 0,
		owners: [],
		units:
			plan.standard === "erc1155"
				? Array.from({ length: plan.maxSupply }, () => actors.map(() => 0))
				: [],
		logPrice: Math.log(plan.startEther),
		revealed: plan.reveal === undefined,
		launchedAt: null,
	}));
	const nonces = actors.map(() => 0);
	const start = { firstBlock: 1, salt: 0, blocks: 0, counts: {}, feeds: [] };
	return { ...start, seed, prngState: seed >>> 0, historyBlocks, coin, collections, nonces };
}
