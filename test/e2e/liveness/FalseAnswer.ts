// Defines what a node can say falsely, and moves its numbers.

import type { Hex } from "viem";
import type { CustodyFaultOrder } from "#test/sandbox/custody/CustodyFault.ts";

/**
 * A false answer of a source, or a false act, about one wallet or about all. One row of a table.
 */
export type FalseAnswer = {
	name: string;
	source: "node" | "wallet provider" | "chain" | "clock";
	/** `wallet`: no other wallet may be held up by it. `all`: all wallets go on once it ends. */
	about: "wallet" | "all";
	/** How many blocks are mined while it lasts; a few by default. */
	blocks?: number;
	/** How long it lasts by the service's clock, beyond a few seconds. */
	lastsMs?: number;
	/** The node's lies, made anew each time that it begins to lie. */
	lies?: () => readonly NodeLie[];
	/** The wallet provider's faults for the wallet. */
	faults?: readonly CustodyFaultOrder[];
	/**
	 * An event of the clock or of the wallets' transactions, while they are pending or once all are
	 * confirmed.
	 */
	happens?: ChainEvent;
};

export type ChainEvent =
	/** The node's pool drops all of them. */
	| "forgets_all"
	/** It drops the first, so that those behind it wait for an unused nonce. */
	| "forgets_first"
	/** One turn of the jobs is an hour ahead, as in a process with a wrong clock. */
	| "clock_step"
	/** After `confirmed`, the blocks with them are replaced by blocks without them. */
	| "reorg";

export type NodeCall = { method: string; params: readonly unknown[] };

/** Asks the node itself, without any lie. */
export type AskNode = <Result = unknown>(
	method: string,
	params?: readonly unknown[],
) => Promise<Result>;

export type NodeAsked = {
	call: NodeCall;
	ask: AskNode;
	/**
	 * Returns a transaction as a node shows it while it is pending, whether or not this node has it.
	 */
	signed(hash: unknown): Record<string, unknown> | null;
};

/** One method that a node answers falsely. */
export type NodeLie = {
	method: string;
	/** How often it lies; without a limit by default. */
	times?: number;
	/**
	 * Returns the answer in place of the truth. `truth` itself is no lie, and is not counted as one.
	 */
	says(truth: any, asked: NodeAsked): unknown;
};

/** A lie about a wallet's calls alone, or about all calls (null). */
export type NodeLieTold = NodeLie & {
	about: Hex | null;
	/** True: it goes on when other lies end. */
	isLong: boolean;
};

type Put = (truth: unknown, value: unknown) => unknown;

/** Values in place of a number. */
const ODD: readonly [name: string, value: unknown][] = [
	["2^53", "0x20000000000000"],
	["2^63", "0x8000000000000000"],
	["2^64", "0x10000000000000000"],
	["2^256 - 1", `0x${"f".repeat(64)}`],
	["a negative number", "-0x1"],
	["nothing", ""],
	["a float", 1.5],
	["text", "many"],
];

/** Every number in the answers that the execution path reads: its method, and how to replace it. */
const FIELDS: readonly [about: "wallet" | "all", name: string, NodeLie["method"], Put][] = [
	["wallet", "a nonce", "eth_getTransactionCount", (_, value) => value],
	["wallet", "a balance", "eth_getBalance", (_, value) => value],
	["wallet", "gas", "eth_estimateGas", (_, value) => value],
	["wallet", "a transaction's nonce", "eth_getTransactionByHash", member("nonce")],
	["wallet", "a transaction's value", "eth_getTransactionByHash", member("value")],
	["wallet", "a receipt's block", "eth_getTransactionReceipt", member("blockNumber")],
	["wallet", "a receipt's status", "eth_getTransactionReceipt", member("status")],
	["all", "the head", "eth_blockNumber", (_, value) => value],
	["all", "a fee history's block", "eth_feeHistory", member("oldestBlock")],
	[
		"all",
		"the base fee",
		"eth_feeHistory",
		(truth, value) => ({
			...(truth as object),
			baseFeePerGas: [value, value],
		}),
	],
	["all", "the price of gas", "eth_gasPrice", (_, value) => value],
	["all", "the tip", "eth_maxPriorityFeePerGas", (_, value) => value],
];

/** Each number of each answer with each of the odd values. */
export const oddNumbers: readonly FalseAnswer[] = FIELDS.flatMap(([about, field, method, put]) =>
	ODD.map(([name, value]): FalseAnswer => {
		const says = (truth: unknown) => (truth === null ? truth : put(truth, value));
		const lies = () => [{ method, says }];
		return { name: `node: ${field} is ${name}`, source: "node", about, lies };
	}),
);

const HISTORY = "eth_feeHistory";
const HEAD = "eth_blockNumber";
const BLOCK = "eth_getBlockByNumber";

/** What a node can say falsely about what all wallets share: its head, and the price of gas. */
export const sharedAnswers: readonly FalseAnswer[] = [
	shared("a fee history that begins at 2^56, once", () => [
		{ method: HISTORY, times: 1, says: (truth) => ({ ...truth, oldestBlock: "0xffffffffffffff" }) },
	]),
	shared("a fee history that begins at 2^56", () => [
		{ method: HISTORY, says: (truth) => ({ ...truth, oldestBlock: "0xffffffffffffff" }) },
	]),
	shared("a fee history a billion blocks ahead", () => [
		{ method: HISTORY, says: (truth) => movedHistory(truth, 1_000_000_000) },
	]),
	shared("a head a billion blocks ahead", () => headMoved(1_000_000_000)),
	shared("a head a billion blocks ahead, once", () =>
		headMoved(1_000_000_000).map((lie) => ({ ...lie, times: 1 })),
	),
	shared("a head 50 blocks back", () => headMoved(-50)),
	shared("a head that stands still", stuckHead),
	{ ...shared("a head that stands still for five minutes", stuckHead), lastsMs: 300_000 },
	shared("gas for nothing", () => [
		{ method: "eth_gasPrice", says: () => "0x0" },
		{ method: "eth_maxPriorityFeePerGas", says: () => "0x0" },
		{ method: HISTORY, says: (truth) => ({ ...truth, baseFeePerGas: ["0x0", "0x0"] }) },
	]),
	shared("gas for 2^200", () => [
		{ method: "eth_gasPrice", says: () => power(200) },
		{ method: "eth_maxPriorityFeePerGas", says: () => power(200) },
	]),
	shared("a base fee of 2^200", () => [
		{ method: HISTORY, says: (truth) => ({ ...truth, baseFeePerGas: [power(200), power(200)] }) },
	]),
];

/**
 * Returns a quantity plus `by`, at least 0. A quantity that another false answer has made
 * unreadable stays as it is: two answers can be false at a time.
 */
export function movedBy(quantity: Hex, by: number): Hex {
	if (!/^0x[0-9a-f]+$/.test(quantity)) return quantity;
	const sum = BigInt(quantity) + BigInt(by);
	return `0x${(sum < 0n ? 0n : sum).toString(16)}`;
}

function member(name: string): Put {
	return (truth, value) => ({ ...(truth as object), [name]: value });
}

function shared(name: string, lies: () => readonly NodeLie[]): FalseAnswer {
	return { name: `node: ${name}`, source: "node", about: "all", lies };
}

/** Moves every head that the node names by so many blocks. */
function headMoved(by: number): NodeLie[] {
	return [
		{ method: HEAD, says: (truth) => movedBy(truth, by) },
		{ method: HISTORY, says: (truth) => movedHistory(truth, by) },
		{
			method: BLOCK,
			says: (truth, { call }) =>
				truth && call.params[0] === "latest"
					? { ...truth, number: movedBy(truth.number, by) }
					: truth,
		},
	];
}

function movedHistory(truth: { oldestBlock: Hex }, by: number) {
	return { ...truth, oldestBlock: movedBy(truth.oldestBlock, by) };
}

/** Keeps the newest block at the one that it had when it was first asked. */
function stuckHead(): NodeLie[] {
	let head: Hex | null = null;
	const stuck = (number: Hex): Hex => {
		head ??= number;
		return head;
	};
	return [
		{ method: HEAD, says: stuck },
		{
			method: HISTORY,
			says: (truth) => ({ ...truth, oldestBlock: stuck(truth.oldestBlock) }),
		},
		{
			method: BLOCK,
			async says(truth, { call, ask }) {
				if (!truth || call.params[0] !== "latest") return truth;
				return ask(BLOCK, [stuck(truth.number), call.params[1]]);
			},
		},
	];
}

function power(exponent: number): Hex {
	return `0x${(2n ** BigInt(exponent)).toString(16)}`;
}
