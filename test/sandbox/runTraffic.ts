// Mines the sandbox's traffic: history, what was missed, and live blocks.

import { type Hex, isHex, toHex } from "viem";
import { z } from "zod";
import { createPrng } from "./createPrng.ts";
import { type Rpc, readHead } from "./createRpc.ts";
import type { Anvil } from "./startAnvil.ts";
import { planBlock, type Share } from "./traffic/planBlock.ts";
import type { PlannedTx, Scene } from "./traffic/Scene.ts";
import type { Actor, World } from "./World.ts";

/** Holds a block's time in seconds, and its share of the sales and mints of 15 minutes. */
export type BlockTime = { timeS: number; share: Share };
export type BlockDraft = {
	world: World;
	actors: readonly Actor[];
	txs: readonly PlannedTx[];
	timeS: number;
};

export type Live = {
	actors: readonly Actor[];
	paceMs: number;
	signal: AbortSignal;
	nowMs(): number;
	say(line: string): void;
	/** Called between blocks, when chain and world agree. */
	afterBlock(): Promise<void>;
};

export type OpenChain = { anvil: Anvil; world: World };

const QUARTER_S = 900;
const LAST_HOUR_BLOCKS = 30;
const LAST_HOUR_STEP_S = 120;
const CATCH_UP_BLOCKS_MAX = 200;

const BLOCKS_PER_REQUEST = 50;
const Receipts = z.array(z.object({ transactionHash: z.string(), status: z.string() }));

const Hash = z.custom<Hex>((value) => isHex(value));
const GAS_LIMIT = toHex(1_500_000);
const DEPLOY_GAS_LIMIT = toHex(12_000_000);
const MAX_FEE = toHex(3_000_000_000);
const TIP = toHex(100_000_000);

// Anvil keeps every trace: some 40 KB a transaction, 180 MB an hour at two seconds per block. So
// after an hour without a restart the world slows down.
const FULL_PACE_MS = 3_600_000;
const SLOW_FACTOR = 5;
const LIVE_SHARE = { sales: 0.13, mints: 0.35 };

/** Plans and mines these blocks one after another; returns the planned transactions by hash. */
export async function runTraffic(
	rpc: Rpc,
	people: { world: World; actors: readonly Actor[] },
	times: readonly BlockTime[],
): Promise<Map<string, PlannedTx>> {
	const { world, actors } = people;
	const prng = createPrng(world.prngState);
	const meaning = new Map<string, PlannedTx>();
	let mining: Promise<void> = Promise.resolve();
	for (const { timeS, share } of times) {
		const scene: Scene = { world, prng, actors, nowS: timeS, touched: new Set(), txs: [] };
		await planBlock(scene, share);
		// The next block is planned and signed while anvil works on this one.
		await mining;
		mining = mineBlock(rpc, { world, actors, txs: scene.txs, timeS }).then((hashes) => {
			for (const [n, hash] of hashes.entries()) {
				const tx = scene.txs[n];
				if (tx) meaning.set(hash, tx);
			}
		});
	}
	await mining;
	world.prngState = prng.state();
	return meaning;
}

/** Returns the times of history's blocks up to now: every 15 minutes, in the last hour closer. */
export function blockTimes(nowS: number, blocks: number): BlockTime[] {
	const close = Math.min(LAST_HOUR_BLOCKS, Math.floor(blocks / 2));
	const closeFromS = nowS - close * LAST_HOUR_STEP_S;
	const far = Array.from({ length: blocks - close }, (_, i) => ({
		timeS: closeFromS - (blocks - close - 1 - i) * QUARTER_S,
		share: { sales: 1, mints: 1 },
	}));
	const near = Array.from({ length: close }, (_, i) => ({
		timeS: closeFromS + (i + 1) * LAST_HOUR_STEP_S,
		share: { sales: 0.4, mints: 0.4 },
	}));
	return [...far, ...near];
}

/**
 * Returns at most 200 blocks for the time in which the world stood still, so that charts have no
 * gap.
 */
export function catchUpTimes(headS: number, nowS: number): BlockTime[] {
	const blocks = Math.min(CATCH_UP_BLOCKS_MAX, Math.floor((nowS - headS) / QUARTER_S));
	const stepS = (nowS - headS) / (blocks + 1);
	return Array.from({ length: Math.max(0, blocks) }, (_, i) => ({
		timeS: Math.floor(headS + stepS * (i + 1)),
		share: { sales: 1, mints: 1 },
	}));
}

/** Mines a block of traffic at each beat until the signal. */
export async function runLive(chain: OpenChain, live: Live): Promise<void> {
	const startMs = live.nowMs();
	while (!live.signal.aborted) {
		const beganMs = live.nowMs();
		try {
			await beat(chain, live);
		} catch (cause) {
			if (live.signal.aborted) return;
			live.say(`a block was not mined: ${cause instanceof Error ? cause.message : String(cause)}`);
			await resume(chain, live);
		}
		const slow = beganMs - startMs > FULL_PACE_MS ? SLOW_FACTOR : 1;
		await pause(live.paceMs * slow - (live.nowMs() - beganMs), live.signal);
	}
}

/**
 * Reads every receipt of these blocks; returns their number and the hashes of failed transactions.
 */
export async function findReverts(
	rpc: Rpc,
	range: { fromBlock: number; toBlock: number },
): Promise<{ transactions: number; reverted: string[] }> {
	let transactions = 0;
	const reverted: string[] = [];
	for (let from = range.fromBlock; from <= range.toBlock; from += BLOCKS_PER_REQUEST) {
		const size = Math.min(BLOCKS_PER_REQUEST, range.toBlock - from + 1);
		const calls = Array.from({ length: size }, (_, i) => ({
			method: "eth_getBlockReceipts",
			params: [toHex(from + i)],
		}));
		for (const answer of await rpc.batch(calls)) {
			const receipts = Receipts.parse(answer);
			transactions += receipts.length;
			reverted.push(...receipts.filter((r) => r.status !== "0x1").map((r) => r.transactionHash));
		}
	}
	return { transactions, reverted };
}

/**
 * Sends a block's transactions with their nonces and mines it at its time; returns their hashes.
 */
export async function mineBlock(
	rpc: Rpc,
	{ world, actors, txs, timeS }: BlockDraft,
): Promise<Hex[]> {
	const calls = txs.map((tx) => {
		const nonce = world.nonces[tx.actor] ?? 0;
		world.nonces[tx.actor] = nonce + 1;
		const from = actors[tx.actor]?.address;
		const target = tx.to === "0x" ? { gas: DEPLOY_GAS_LIMIT } : { to: tx.to, gas: GAS_LIMIT };
		const fees = { maxFeePerGas: MAX_FEE, maxPriorityFeePerGas: TIP };
		const body = {
			from,
			...target,
			...fees,
			data: tx.data,
			value: toHex(tx.value),
			nonce: toHex(nonce),
		};
		return { method: "eth_sendTransaction", params: [body] };
	});
	const hashes = (await rpc.batch(calls)).map((hash) => Hash.parse(hash));
	// Two requests: anvil guarantees no order within one, and mining must come last.
	await rpc.call("evm_setNextBlockTimestamp", [timeS]);
	await rpc.call("evm_mine", []);
	return hashes;
}

async function beat({ anvil, world }: OpenChain, live: Live): Promise<void> {
	const before = await readHead(anvil.rpc);
	const timeS = Math.max(Math.floor(live.nowMs() / 1_000), before.timeS + 1);
	const people = { world, actors: live.actors };
	const meaning = await runTraffic(anvil.rpc, people, [{ timeS, share: LIVE_SHARE }]);
	const { reverted } = await findReverts(anvil.rpc, {
		fromBlock: before.number + 1,
		toBlock: (await readHead(anvil.rpc)).number,
	});
	for (const hash of reverted) {
		// People's transactions may revert; only our own must succeed.
		const tx = meaning.get(hash);
		if (tx) live.say(`${tx.label} reverted: ${hash}`);
	}
	await live.afterBlock();
}

/**
 * Recovers after a failed block: the pool may hold a part of it, so it is mined and the nonces are
 * read from the chain.
 */
async function resume({ anvil, world }: OpenChain, live: Live): Promise<void> {
	try {
		await anvil.rpc.call("evm_mine", []);
		const calls = live.actors.map((actor) => ({
			method: "eth_getTransactionCount",
			params: [actor.address, "latest"],
		}));
		world.nonces = (await anvil.rpc.batch(calls)).map(Number);
	} catch {
		// Anvil does not answer: its exit is noticed elsewhere, and the next beat tries again.
	}
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
	if (ms <= 0 || signal.aborted) return;
	const { promise, resolve } = Promise.withResolvers<void>();
	const timer = setTimeout(resolve, ms);
	signal.addEventListener("abort", () => resolve(), { once: true });
	await promise.finally(() => clearTimeout(timer));
}
