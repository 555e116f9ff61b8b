import type { FalseAnswer } from "#test/e2e/liveness/FalseAnswer.ts";
import type { NodeLie } from "#test/e2e/liveness/NodeLie.ts";

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

type Put = (truth: unknown, value: unknown) => unknown;

/** Each number of each answer with each of the odd values. */
export const oddNumbers: readonly FalseAnswer[] = FIELDS.flatMap(([about, field, method, put]) =>
	ODD.map(([name, value]): FalseAnswer => {
		const says = (truth: unknown) => (truth === null ? truth : put(truth, value));
		const lies = () => [{ method, says }];
		return { name: `node: ${field} is ${name}`, source: "node", about, lies };
	}),
);

function member(name: string): Put {
	return (truth, value) => ({ ...(truth as object), [name]: value });
}
