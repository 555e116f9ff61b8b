import type { Hex } from "viem";
import type { FalseAnswer } from "#test/e2e/liveness/FalseAnswer.ts";
import { movedBy } from "#test/e2e/liveness/movedBy.ts";
import type { NodeLie } from "#test/e2e/liveness/NodeLie.ts";

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

function movedHistory(truth: { oldestBlock: Hex }, by: number) {
	return { ...truth, oldestBlock: movedBy(truth.oldestBlock, by) };
}

function power(exponent: number): Hex {
	return `0x${(2n ** BigInt(exponent)).toString(16)}`;
}
