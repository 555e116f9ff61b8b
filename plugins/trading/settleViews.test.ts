import { beforeEach, expect, test } from "bun:test";
import {
	type Abi,
	decodeFunctionData,
	encodeFunctionResult,
	type Hex,
	numberToHex,
	parseAbi,
} from "viem";
import type { Address } from "#core/chain/Hex.ts";
import { type Rpc, type RpcCall, type RpcOutcome, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { MULTICALL, settleViews, type View } from "#plugins/trading/settleViews.ts";
import { createTokenNode } from "#plugins/trading/testing/tokenNode.ts";

const { signal } = new AbortController();
const abi = parseAbi([
	"struct Call3 { address target; bool allowFailure; bytes callData; }",
	"struct Result { bool success; bytes returnData; }",
	"function aggregate3(Call3[] calls) payable returns (Result[] returnData)",
]);
const token = (index: number): Address => numberToHex(index + 1, { size: 20 });
const views: View[] = Array.from({ length: 300 }, (_, index) =>
	index === 0 ? { coinOf: token(9_000) } : { to: token(index), data: "0x313ce567" },
);
const refused: RpcOutcome = { kind: "fault", fault: rpcFault.refused({ detail: "reverted" }) };

/** Multicall3's answer to a call; the plain node's answers are separate. */
let answer: (call: RpcCall) => RpcOutcome;
let requests: RpcCall[][];
let rpc: Rpc;
beforeEach(() => {
	requests = [];
	const plain = (call: RpcCall): RpcOutcome => {
		if (call.method === "eth_getBalance") return { kind: "result", result: "0x5" };
		const { to } = call.params[0] as { to: Address };
		if (to === MULTICALL) return answer(call);
		return BigInt(to) % 7n === 0n ? refused : { kind: "result", result: to };
	};
	rpc = {
		...createTokenNode(() => 0).rpc,
		async settle(calls) {
			requests.push([...calls]);
			return calls.map(plain);
		},
	};
});

/**
 * Answers like the contract: with `token % 7 == 0` it reverts, else the balance is a whole word.
 */
function aggregate(call: RpcCall): RpcOutcome {
	const { data } = call.params[0] as { data: Hex };
	const { args } = decodeFunctionData({ abi, data });
	const results = args[0].map(({ target }) => {
		if (target.toLowerCase() === MULTICALL) {
			return { success: true, returnData: numberToHex(5, { size: 32 }) };
		}
		const success = BigInt(target) % 7n !== 0n;
		return { success, returnData: success ? (target.toLowerCase() as Hex) : ("0x" as const) };
	});
	const plainAbi: Abi = abi;
	const result = encodeFunctionResult({
		abi: plainAbi,
		functionName: "aggregate3",
		result: results,
	});
	return { kind: "result", result };
}

const codesOf = (outcomes: readonly RpcOutcome[]) =>
	outcomes.map((one) => (one.kind === "result" ? BigInt(String(one.result)) : one.fault.code));

test("three hundred calls are two multicalls in one request, with the results of single calls", async () => {
	answer = () => ({ kind: "result", result: "0x" });
	const single = codesOf(await settleViews(rpc, views, { signal }));
	requests = [];
	answer = aggregate;
	const fresh = { ...rpc };
	expect(codesOf(await settleViews(fresh, views, { signal }))).toEqual(single);
	expect(requests.map((calls) => calls.length)).toEqual([2]);
});

test("a chain without Multicall3 is checked for it once, and then called in one request", async () => {
	answer = () => ({ kind: "result", result: "0x" });
	await settleViews(rpc, views, { signal });
	requests = [];
	const outcomes = await settleViews(rpc, views, { signal });
	expect(requests.map((calls) => calls.length)).toEqual([300]);
	expect(outcomes).toHaveLength(300);
});

const nonsense: [string, () => RpcOutcome][] = [
	["is refused, as where one burns the gas of all", () => refused],
	["is no bytes", () => ({ kind: "result", result: "nonsense" })],
	["is cut off", () => ({ kind: "result", result: `0x${"0".repeat(64)}` })],
];
for (const [what, say] of nonsense) {
	test(`calls are sent one by one if the multicall ${what}`, async () => {
		answer = say;
		const codes = codesOf(await settleViews(rpc, views, { signal }));
		expect(codes.slice(0, 7)).toEqual([5n, 2n, 3n, 4n, 5n, 6n, "rpc_refused"]);
		expect(requests).toHaveLength(3);
	});
}

test("a few calls are single calls, and no calls send nothing", async () => {
	answer = () => expect.unreachable();
	await settleViews(rpc, views.slice(0, 7), { signal });
	expect(requests.map((calls) => calls.length)).toEqual([7]);
	expect(await settleViews(rpc, [], { signal })).toEqual([]);
	expect(requests).toHaveLength(1);
});
