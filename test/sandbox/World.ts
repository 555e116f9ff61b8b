import { type Address, type Hex, isAddress } from "viem";
import { z } from "zod";

/** A person of the world. Anvil holds the same key, so it signs transactions and we sign orders. */
export type Actor = { address: Address; privateKey: Hex };

const address = z.custom<Address>((value) => typeof value === "string" && isAddress(value));
const CollectionState = z.object({
	key: z.string(),
	address,
	/** ERC-721: tokens minted. ERC-1155: units minted. */
	minted: z.int(),
	/** ERC-721: actor index by token id - 1; -1 where it belongs to somebody else. */
	owners: z.array(z.int()),
	/** ERC-1155: units by id - 1, then by actor. */
	units: z.array(z.array(z.int())),
	/** Natural logarithm of the going price in ether. */
	logPrice: z.number(),
	revealed: z.boolean(),
	/** Block ordinal of its launch, for the burst of mints after it. */
	launchedAt: z.int().nullable(),
});

/**
 * What the planner knows of a collection on chain; it matches because no planned transaction
 * reverts.
 */
export type CollectionState = z.infer<typeof CollectionState>;

const FeedState = z.object({
	of: z.enum(["eth", "coin"]),
	address,
	/** When its newest round was published. */
	roundAtS: z.int(),
});

/** Everything the traffic needs to go on after a restart, as plain JSON. */
export const World = z.object({
	seed: z.int(),
	prngState: z.int(),
	firstBlock: z.int(),
	coin: address,
	/** Price feeds; a world saved before there were any goes on without. */
	feeds: z.array(FeedState).default([]),
	collections: z.array(CollectionState),
	/** Next nonce by actor. */
	nonces: z.array(z.int()),
	salt: z.int(),
	/** Traffic blocks so far, and how many of them were history. */
	blocks: z.int(),
	historyBlocks: z.int(),
	/** Planned so far, by label: sales of each shape, mints, transfers. */
	counts: z.record(z.string(), z.int()),
});
export type World = z.infer<typeof World>;
