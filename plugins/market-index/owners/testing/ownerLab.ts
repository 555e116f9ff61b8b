// Makes a lab with a chain of moves, a lane, walks and the real tables.

import { expect } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import type { NewJob } from "#core/queue.ts";
import type { MoveBatch, Walk } from "#plugins/chain-scanner/contract.ts";
import { createOwnership, type OwnerKeeper } from "#plugins/market-index/owners/createOwnership.ts";
import { createMoveChain } from "#plugins/market-index/owners/testing/createMoveChain.ts";
import { readOwnerState } from "#plugins/market-index/owners/testing/readOwnerState.ts";
import { registerCollection } from "#plugins/market-index/owners/testing/registerCollection.ts";

/** Blocks that may leave the lab's chains. */
export const LAB_DEPTH = 6;

let nextChainId = 70_000;

type Parts = {
	db: Database;
	chainId: number;
	keeper: OwnerKeeper;
	chain: ReturnType<typeof createMoveChain>;
	unsettledFrom(): number;
};

/**
 * A chain of moves, a lane and walks over it, and the real tables. The lane and the walks do as the
 * scanner's do, one call at a time, so that a test decides who comes when.
 */
export function createOwnerLab(db: Database, { watchedMax = 500 } = {}) {
	const chainId = nextChainId++;
	let nowMs = 0;
	const queued: NewJob[] = [];
	const keeper = createOwnership(db, {
		watchedMax,
		clock: { nowMs: () => nowMs },
		queue: { add: async (_tx, jobs) => void queued.push(...jobs) },
	});
	const chain = createMoveChain();
	const unsettledFrom = () => chain.head() - LAB_DEPTH + 1;
	const parts = { db, chainId, keeper, chain, unsettledFrom };
	const { lane, leap, backfill, cursor, forked } = labLane(parts);
	const step = labWalk(parts);
	return {
		chainId,
		keeper,
		/** Jobs that were put in line, in order. */
		queued,
		cursor,
		lane,
		leap,
		backfill,
		step,
		head: chain.head,
		mine: chain.mine,
		passTime(ms: number) {
			nowMs += ms;
		},
		register: (contract: Address, standard = "erc721", lastMintAt = new Date(0)) =>
			registerCollection(db, { chainId, contract, standard, lastMintAt }),
		/** Every move of a contract that the lane has been past. */
		moves: (contract: Address) =>
			chain.between(0, cursor()).filter((move) => move.contract === contract),
		async watch() {
			const wanted = await keeper.wanted(chainId);
			await db.transaction((tx) => keeper.watch(tx, { chainId, wanted, cursor: cursor() }));
			return wanted;
		},
		/** One part of the walk that is next; false when there is none. */
		async walk(blocksMax = 1_000, { fails = false } = {}): Promise<boolean> {
			const walk = await keeper.nextWalk(chainId);
			if (walk) await step(walk, blocksMax, { fails });
			return walk !== null;
		},
		/** The newest blocks leave the chain. */
		async reorg(depth: number) {
			const forkBlock = chain.drop(depth);
			await db.transaction((tx) => keeper.revert(tx, { chainId, forkBlock }));
			forked(forkBlock);
		},
		state: (collectionId: number) => readOwnerState(db, collectionId),
	};
}

function labLane({ db, chainId, keeper, chain, unsettledFrom }: Parts) {
	let cursor = 0;
	let owed: number[] = [];
	const tell = (span: Omit<MoveBatch, "chainId" | "moves" | "unsettledFrom">) => {
		const all = chain.between(span.fromBlock, span.toBlock);
		const moves = all.filter(({ contract }) => span.watched.includes(contract));
		const batch = { ...span, chainId, moves, unsettledFrom: unsettledFrom() };
		return db.transaction((tx) => keeper.moved(tx, batch));
	};
	return {
		cursor: () => cursor,
		/** The lane reads up to a block; `asked` is whom it looked at. */
		async lane(to = chain.head(), asked?: readonly Address[]): Promise<boolean> {
			const watched = asked ?? (await keeper.watched(chainId));
			const fromBlock = cursor + 1;
			if (to < fromBlock) return true;
			const span = { fromBlock, toBlock: to, watched, inOrder: true };
			const taken = await tell({ ...span, pruneBelow: to - LAB_DEPTH });
			if (taken) cursor = to;
			return taken;
		},
		/** The lane steps over a block, and owes it. */
		leap() {
			if (cursor < chain.head()) owed.push(++cursor);
		},
		/** Backfill reads a block that was stepped over; false when nothing is owed. */
		async backfill(): Promise<boolean> {
			const block = owed.shift();
			if (block === undefined) return false;
			const watched = await keeper.watched(chainId);
			const span = { fromBlock: block, toBlock: block, watched, inOrder: false };
			expect(await tell({ ...span, pruneBelow: 0 })).toBe(true);
			return true;
		},
		forked(forkBlock: number) {
			cursor = Math.min(cursor, forkBlock);
			owed = owed.filter((block) => block <= forkBlock);
		},
	};
}

/** A worker takes a walk's next part; where it `fails`, it is killed before the commit. */
function labWalk({ db, chainId, keeper, chain, unsettledFrom }: Parts) {
	return async (walk: Walk, blocksMax: number, { fails = false } = {}): Promise<boolean> => {
		const fromBlock = walk.nextBlock ?? 0;
		const toBlock = Math.min(fromBlock + blocksMax - 1, walk.endBlock);
		const moves = chain.between(fromBlock, toBlock);
		const given = { chainId, walk, fromBlock, toBlock, moves, unsettledFrom: unsettledFrom() };
		const killed = new Error("killed");
		return db
			.transaction(async (tx) => {
				const isOurs = await keeper.walked(tx, given);
				if (fails) throw killed;
				return isOurs;
			})
			.catch((error) => {
				if (error === killed) return false;
				throw error;
			});
	};
}
