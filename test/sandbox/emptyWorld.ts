import { type Address, getContractAddress } from "viem";
import { catalogue } from "./catalogue.ts";
import type { Actor, World } from "./World.ts";

/** The input of a new world; `startS` is the time of its first block of traffic. */
export type WorldDraft = {
	seed: number;
	historyBlocks: number;
	startS: number;
	actors: readonly Actor[];
};

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
