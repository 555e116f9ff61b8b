import { type Address, type Hex, isAddress } from "viem";
import { z } from "zod";

/** An actor of the world. Anvil has the same key, so it signs transactions, and we sign orders. */
export type Actor = { address: Address; privateKey: Hex };

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
