// Keeps the market equal to the chain, block by block and after reorgs.

import type { Address } from "viem";
import { type Rpc, readHead } from "../../createRpc.ts";
import { addresses } from "../../knownContracts.ts";
import { revealSellers } from "../../reveals/revealKinds.ts";
import type { Actor } from "../../World.ts";
import { quoteBlock } from "../book/quoteBlock.ts";
import { type ChainBlock, readBlocks } from "../chain/readBlocks.ts";
import {
	type MetadataCache,
	readContract,
	readCurrency,
	readTraitIds,
	TOKENS_FOR_TRAITS,
} from "../chain/readContract.ts";
import { applyBlock } from "./applyBlock.ts";
import {
	addCollection,
	COLLECTIONS_MAX,
	type Collection,
	type Market,
	type MarketChange,
	type MarketEvent,
	newMarket,
} from "./Market.ts";

export type Following = {
	rpc: Rpc;
	seed: number;
	actors: readonly Actor[];
	metadata: MetadataCache;
};

export type ChainFollower = {
	market(): Market;
	/** Reads new blocks; returns their changes, except those of history. */
	sync(): Promise<MarketChange[]>;
};

const WETH = lower(addresses.weth);
const BLOCKS_A_READ_MAX = 100;
const READS_A_SYNC_MAX = 10_000;

/** Keeps a market that is a function of the chain, block by block; after a reorg it is rebuilt. */
export function followChain(following: Following): ChainFollower {
	const { rpc, metadata } = following;
	const actors = following.actors.map(({ address }) => lower(address));
	const sellers = revealSellers.map(({ address }) => address);
	const makers = [...actors, ...sellers];
	let market = newMarket();
	let isHistory = true;
	function beginAnew(): void {
		market = newMarket();
		isHistory = true;
		metadata.clear();
	}
	async function step(head: number, changes: MarketChange[]): Promise<boolean> {
		const from = market.head.number + 1;
		const to = Math.min(head, from + BLOCKS_A_READ_MAX - 1);
		const blocks = await readBlocks(rpc, { from, to });
		const [first] = blocks;
		if (first && first.number > 0 && first.parentHash !== market.head.hash) {
			beginAnew();
			return true;
		}
		for (const block of blocks) {
			await meet(market, { block, rpc, makers });
			const made = applyBlock(market, block);
			await refresh(made);
			made.push(...quoteBlock(market, { seed: following.seed, actors, sellers }));
			if (!isHistory) changes.push(...made);
		}
		return to < head;
	}
	async function refresh(changes: readonly MarketChange[]): Promise<void> {
		const stale = new Set<Collection>();
		for (const change of changes) {
			if (change.kind === "event" && !isHistory && isEarlyMint(change.event)) {
				stale.add(change.event.collection);
			}
			if (change.kind !== "metadata" || change.ids.length === 0) continue;
			const [fromId = 0n] = change.ids;
			metadata.forget(change.collection, { fromId, toId: change.ids.at(-1) ?? fromId });
			stale.add(change.collection);
		}
		for (const { facts } of stale) facts.traitIds = await readTraitIds(rpc, facts);
	}
	return {
		market: () => market,
		async sync() {
			const changes: MarketChange[] = [];
			const { number } = await readHead(rpc);
			// A lower head means another chain, or a rollback.
			if (number < market.head.number) beginAnew();
			for (let n = 0; n < READS_A_SYNC_MAX && market.head.number < number; n++) {
				if (!(await step(number, changes))) break;
				// The sandbox mines in the same process: it has priority.
				await Bun.sleep(0);
			}
			isHistory = false;
			return changes;
		},
	};
}

/** Returns true for a token that trait offers would name; those of history are known already. */
function isEarlyMint({ type, tokenId, collection }: MarketEvent): boolean {
	if (type !== "mint" || tokenId === null || collection.facts.standard === "erc1155") return false;
	return tokenId <= BigInt(TOKENS_FOR_TRAITS);
}

/**
 * Reads the contracts and currencies that are new in a block. Never for several blocks at once: a
 * book that starts with knowledge of a later block would differ from one that ran through it.
 */
async function meet(
	market: Market,
	seen: { block: ChainBlock; rpc: Rpc; makers: readonly Address[] },
): Promise<void> {
	const { rpc, makers } = seen;
	const currencies = new Set<Address>();
	if (!market.currencies.has(WETH)) currencies.add(WETH);
	const { timeS, transactions } = seen.block;
	for (const log of transactions.flatMap(({ logs }) => logs)) {
		if (log.kind === "fulfilled") {
			for (const item of [...log.offer, ...log.consideration]) {
				if (item.itemType === 1) currencies.add(item.token);
			}
		}
		if (log.kind !== "transfer" || market.byAddress.has(log.contract)) continue;
		if (market.collections.size >= COLLECTIONS_MAX) continue;
		const { contract, standard } = log;
		const facts = await readContract(rpc, { address: contract, standard }, makers);
		addCollection(market, facts, timeS);
	}
	for (const address of currencies) {
		if (market.currencies.has(address)) continue;
		const currency = await readCurrency(rpc, address);
		if (currency) market.currencies.set(address, currency);
	}
}

function lower(address: Address): Address {
	return `0x${address.slice(2).toLowerCase()}`;
}
