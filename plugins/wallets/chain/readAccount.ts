// Reads accounts, nonces and simulations from a chain's nodes, and which chains fail.

import { z } from "zod";
import { chainNumbers } from "#core/chain/Chain.ts";
import { type Address, type Hex, hexQuantity, isWord } from "#core/chain/Hex.ts";
import { chainFault, readAnswer, readableBy, readNonceAt } from "#core/chain/reads/readBlocks.ts";
import type { Rpc, RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import type { Plan } from "#plugins/wallets/model.ts";

/** Chains that could not be read when they were asked last, as this process knows it. */
export type ChainTroubles = {
	/**
	 * Returns whether a failed lookup was the chain's fault. Then it remembers the submission, and
	 * that lookups since `atMs` were postponed.
	 */
	note(error: unknown, failed: { chainId: number; id: string; atMs: number }): boolean;
	/**
	 * Since when a chain could not be read, where one of these was what could not be looked at; null
	 * where it could, or still cannot. Answered once.
	 */
	endedBy(chainId: number, answered: readonly string[]): number | null;
};

/** Says how an account's nonce was used. */
export type NonceUse =
	| { kind: "mined"; transactionHash: Hex }
	/** Something mined used it, and the node cannot say what: its state does not go back so far. */
	| { kind: "used" }
	/** Something with that nonce waits at the node; its hash is not to be had. */
	| { kind: "pending" }
	| { kind: "free" };

/** Holds the account's balance, nonces and fees as of now, which a transaction needs. */
export type AccountState = {
	balanceRaw: bigint;
	/** The first nonce that nothing mined uses. */
	minedNonce: number;
	/** The first nonce that nothing seen by the node uses. */
	pendingNonce: number;
	maxFeePerGas: bigint;
	maxPriorityFeePerGas: bigint;
	headBlock: number;
};

export type Simulation = { kind: "ok"; gasLimit: bigint } | { kind: "reverts"; detail: string };

export type AccountAsked = {
	address: Address;
	plans: readonly PlannedCall[];
	/** Further calls for the same request. */
	questions?: readonly RpcCall[];
	signal: AbortSignal;
	/** Asks another endpoint than the last one. */
	second?: boolean;
};

type Trouble = { sinceMs: number; failed: Set<string> };

type Asked = {
	address: Address;
	nonce: number;
	/** A block in which it was free. */
	fromBlock: number;
	/** A chain that has still not come so far shows then that the block was never there. */
	isFromBlockOld?: boolean;
	signal: AbortSignal;
};

type PlannedCall = Pick<Plan, "from" | "to" | "valueRaw" | "data">;

type Head = { number: number; baseFeePerGas?: bigint | undefined };

/**
 * Limits the remembered failures; the oldest are forgotten, and any one shows when the trouble
 * ends.
 */
const FAILED_MAX = 100;

const block = z.object({
	transactions: z.array(
		z.object({
			hash: z.string().toLowerCase().refine(isWord),
			from: z.string().toLowerCase(),
			nonce: chainNumbers.nonce,
		}),
	),
});
/** A chain has fewer than 2^48 blocks. */
const HALVINGS_MAX = 48;
/** Blocks that are read whole where counts are not to be had: what was sent is mined soon after. */
const SCAN_BLOCKS_MAX = 256;
const SCAN_AT_ONCE = 16;

const { blockNumber, gas, gasPrice: pricePerGas, nonce: accountNonce, wei } = chainNumbers;
const headSchema = z.object({ number: blockNumber, baseFeePerGas: pricePerGas.optional() });
const history = z.object({
	oldestBlock: blockNumber,
	baseFeePerGas: z.array(pricePerGas).nullish(),
});
/** Decodes the answers to the first calls, in their order. */
const ACCOUNT = [wei, accountNonce, accountNonce, history, pricePerGas, pricePerGas];
const REASON_LENGTH_MAX = 300;

/**
 * Reads an account and runs plans of it on the newest state, in one request. Each plan runs by
 * itself: what one leaves for the next is not seen.
 *
 * The head is asked for by its fees: a block comes with the hashes of all that it holds, which is
 * most of what a node would answer here. A question that is refused is answered by null.
 */
export async function readAccount(
	rpc: Rpc,
	{ address, plans, questions = [], signal, second = false }: AccountAsked,
): Promise<{ account: AccountState; simulations: Simulation[]; answers: unknown[] }> {
	const outcomes = await rpc.settle(
		[
			{ method: "eth_getBalance", params: [address, "latest"] },
			{ method: "eth_getTransactionCount", params: [address, "latest"] },
			{ method: "eth_getTransactionCount", params: [address, "pending"] },
			{ method: "eth_feeHistory", params: ["0x1", "latest", []] },
			{ method: "eth_gasPrice", params: [] },
			{ method: "eth_maxPriorityFeePerGas", params: [] },
			// Said, because some nodes would run all that waits in their pool before it.
			...plans.map((plan) => ({ method: "eth_estimateGas", params: [callOf(plan), "latest"] })),
			...questions,
		],
		{
			...{ signal, isReadable: readableBy([...ACCOUNT, ...plans.map(() => gas)]) },
			...(second && { second }),
		},
	);
	const [balance, mined, pending, latest, gasPrice, tip, ...others] = outcomes;
	const head = await headOf(rpc, { latest, signal });
	const price = readAnswer(pricePerGas, resultOf(gasPrice));
	const base = head.baseFeePerGas ?? null;
	// A node that names no tip names a price, which has one in it: without any it would wait.
	const priority =
		tip?.kind === "result" ? readAnswer(pricePerGas, tip.result) : tipIn(price, base ?? price);
	// Room for base fees that double before it is mined; what is not needed is not paid.
	const maxFeePerGas = base ? base * 2n + priority : price;
	// Nothing that offers nothing is mined where gas has a price, and all later nonces wait for it.
	if (maxFeePerGas === 0n) throw chainFault.chainUnreadable({ detail: "gas for nothing" });
	return {
		account: {
			balanceRaw: readAnswer(wei, resultOf(balance)),
			minedNonce: readAnswer(accountNonce, resultOf(mined)),
			pendingNonce: readAnswer(accountNonce, resultOf(pending)),
			maxFeePerGas,
			maxPriorityFeePerGas: base ? priority : price,
			headBlock: head.number,
		},
		simulations: others.slice(0, plans.length).map(simulationOf),
		answers: others.slice(plans.length).map(answerOf),
	};
}

/**
 * Remembers since when chains could not be read. Lookups are postponed longer each time, although
 * their submissions are not at fault: they are repeated once the chain answers.
 *
 * Only an answer about a submission whose lookup failed ends it. A node whose head stands still
 * goes on to answer about everything that is not mined.
 */
export function createChainTroubles(): ChainTroubles {
	const troubles = new Map<number, Trouble>();
	return {
		note(error, { chainId, id, atMs }) {
			const isOfChain = error instanceof Fault && /^(?:rpc|chain)_/.test(error.code);
			if (!isOfChain) return false;
			const { sinceMs, failed } = troubles.get(chainId) ?? { sinceMs: atMs, failed: new Set() };
			failed.delete(id);
			failed.add(id);
			for (const oldest of failed) {
				if (failed.size <= FAILED_MAX) break;
				failed.delete(oldest);
			}
			troubles.set(chainId, { sinceMs: Math.min(sinceMs, atMs), failed });
			return true;
		},
		endedBy(chainId, answered) {
			const trouble = troubles.get(chainId);
			if (!trouble || !answered.some((id) => trouble.failed.has(id))) return null;
			troubles.delete(chainId);
			return trouble.sinceMs;
		},
	};
}

/**
 * Finds the transaction that used a nonce of an account, by bisecting the chain: the account's
 * count at a block shows whether it was used by then. It takes about twenty small calls and one
 * block, for the rare case that the hash is unknown.
 *
 * A node without old state refuses some counts, but has the blocks: those after `fromBlock` are
 * read, up to the limit of one lookup. Throws where the node is behind the block where the nonce
 * was still free, and does not show it as used.
 */
export async function findByNonce(rpc: Rpc, asked: Asked): Promise<NonceUse> {
	const { nonce, signal, isFromBlockOld = false } = asked;
	const head = await rpc.call(
		{ method: "eth_blockNumber", params: [] },
		{ signal, isReadable: readableBy([chainNumbers.blockNumber]) },
	);
	let high = readAnswer(chainNumbers.blockNumber, head);
	const isBehind = high < asked.fromBlock;
	if ((await countAt(rpc, asked, hexQuantity(high))) <= nonce) {
		// Where it was free, it still is for a node that has not come so far: that proves nothing.
		if (isBehind && !isFromBlockOld) throw chainFault.chainBehind();
		const waiting = await countAt(rpc, asked, "pending");
		return waiting > nonce ? { kind: "pending" } : { kind: "free" };
	}
	// The nonce was free when it was taken, so it was used after `fromBlock`, unless that is false:
	// used in a lower block, it was.
	const fromBlock = isBehind ? 0 : asked.fromBlock;
	const usedThen = (await readNonceAt(rpc, { ...asked, block: fromBlock })) ?? 0;
	let freeAt = usedThen > nonce ? 0 : fromBlock;
	let low = freeAt;
	for (let turn = 0; turn < HALVINGS_MAX && high - low > 1; turn++) {
		const middle = low + Math.floor((high - low) / 2);
		const count = await readNonceAt(rpc, { ...asked, block: middle });
		if (count !== null && count > nonce) {
			high = middle;
			continue;
		}
		low = middle;
		if (count !== null) freeAt = middle;
	}
	// Where no block is known in which it was free, the last ones before it was seen as used.
	const start = Math.min(freeAt > 0 ? freeAt + 1 : Math.max(1, high - SCAN_BLOCKS_MAX + 1), high);
	const last = Math.min(high, start + SCAN_BLOCKS_MAX - 1);
	for (let first = start; first <= last; first += SCAN_AT_ONCE) {
		const until = Math.min(first + SCAN_AT_ONCE - 1, last);
		const transactionHash = await usedIn(rpc, asked, { first, until });
		if (transactionHash) return { kind: "mined", transactionHash };
	}
	return { kind: "used" };
}

/**
 * Returns whether a call failed because every node of the chain serves another chain. Waiting does
 * not help: an operator has to correct the endpoints.
 */
export function isOfOtherChain(error: unknown): boolean {
	return error instanceof Fault && error.code === "rpc_wrong_chain";
}

function callOf(plan: PlannedCall) {
	return {
		from: plan.from,
		to: plan.to,
		value: hexQuantity(plan.valueRaw),
		data: plan.data,
	};
}

/** Reads the newest block of a node that does not know the fees of old blocks. */
async function headOf(
	rpc: Rpc,
	{ latest, signal }: { latest: RpcOutcome | undefined; signal: AbortSignal },
): Promise<Head> {
	if (latest?.kind === "fault" && latest.fault.code === "rpc_refused") {
		const call = { method: "eth_getBlockByNumber", params: ["latest", false] };
		const [found] = await rpc.settle([call], {
			signal,
			isReadable: readableBy([headSchema]),
		});
		return readAnswer(headSchema, resultOf(found));
	}
	const { oldestBlock, baseFeePerGas } = readAnswer(history, resultOf(latest));
	return { number: oldestBlock, baseFeePerGas: baseFeePerGas?.[0] };
}

function resultOf(outcome: RpcOutcome | undefined): unknown {
	if (outcome?.kind === "fault") throw outcome.fault;
	return outcome?.result;
}

function tipIn(price: bigint, base: bigint): bigint {
	return price > base ? price - base : 0n;
}

/**
 * Reads a simulation's outcome. A node that answers nothing else than "it reverts" is believed; one
 * that fails is not.
 */
function simulationOf(outcome: RpcOutcome): Simulation {
	if (outcome.kind === "result") {
		const used = readAnswer(gas, outcome.result);
		// A fifth more: what it finds on chain may be a little different when it is mined.
		return { kind: "ok", gasLimit: used + used / 5n };
	}
	if (outcome.fault.code !== "rpc_refused") throw outcome.fault;
	return { kind: "reverts", detail: outcome.fault.message.slice(0, REASON_LENGTH_MAX) };
}

function answerOf(outcome: RpcOutcome): unknown {
	return outcome.kind === "result" ? outcome.result : null;
}

async function countAt(rpc: Rpc, { address, signal }: Asked, at: string): Promise<number> {
	const count = await rpc.call(
		{ method: "eth_getTransactionCount", params: [address, at] },
		{ signal, isReadable: readableBy([chainNumbers.nonce]) },
	);
	return readAnswer(chainNumbers.nonce, count);
}

async function usedIn(
	rpc: Rpc,
	{ address, nonce, signal }: Asked,
	{ first, until }: { first: number; until: number },
): Promise<Hex | null> {
	const calls = Array.from({ length: until - first + 1 }, (_, index) => {
		return { method: "eth_getBlockByNumber", params: [hexQuantity(first + index), true] };
	});
	// A node that has not come so far has no such block.
	const isReadable = (result: unknown) => result === null || block.safeParse(result).success;
	for (const found of await rpc.batch(calls, { signal, isReadable })) {
		const used = readAnswer(block, found).transactions.find((one) => {
			return one.from === address && one.nonce === nonce;
		});
		if (used) return used.hash;
	}
	return null;
}
