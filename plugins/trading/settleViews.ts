// Runs many view calls in few requests.

import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { hexData } from "#core/chain/reads/readBlocks.ts";
import { type Rpc, type RpcCall, type RpcOutcome, rpcFault } from "#core/chain/rpc/Rpc.ts";

/** A view call of a contract, or an account's balance of the chain's coin. */
export type View = { to: Address; data: Hex } | { coinOf: Address };

/** Gas for one call of an untrusted contract, which bounds a node's time. */
export const VIEW_GAS = "0x7a120";

/** Multicall3, at the same address on most chains (https://github.com/mds1/multicall3). */
export const MULTICALL: Address = "0xca11bde05977b3631167028862be2a173976ca11";

/** Limits that nodes accept: views in one call, and gas for all of them. */
const VIEWS_PER_CALL = 250;
const CALL_GAS = "0x2faf080";
/** The least number of views for which Multicall3 is worth its overhead. */
const VIEWS_WORTH = 8;
/** The number of requests after which Multicall3 is tried again: it may be deployed later. */
const ASKED_AGAIN_EVERY = 256;

const abi = parseAbi([
	"struct Call3 { address target; bool allowFailure; bytes callData; }",
	"struct Result { bool success; bytes returnData; }",
	"function aggregate3(Call3[] calls) payable returns (Result[] returnData)",
	"function getEthBalance(address account) view returns (uint256)",
]);

/** Per chain: the number of questions since its Multicall3 was found missing. */
const without = new WeakMap<object, number>();

/**
 * Runs view calls in as few calls as the chain allows, and returns the outcomes in the order of the
 * views, as `Rpc.settle` does. With Multicall3 hundreds of views are one call, and a revert affects
 * only its own view. Where Multicall3 is missing, or one contract uses up all gas, each view is a
 * call of its own in one request. Throws where no node answers.
 */
export async function settleViews(
	rpc: Pick<Rpc, "settle">,
	views: readonly View[],
	{ signal }: { signal: AbortSignal },
): Promise<RpcOutcome[]> {
	if (views.length === 0) return [];
	const missed = without.get(rpc) ?? 0;
	if (views.length < VIEWS_WORTH || missed > 0) {
		if (views.length >= VIEWS_WORTH) without.set(rpc, (missed + 1) % ASKED_AGAIN_EVERY);
		return rpc.settle(views.map(plainCall), { signal });
	}
	const parts = Array.from({ length: Math.ceil(views.length / VIEWS_PER_CALL) }, (_, index) => {
		return views.slice(index * VIEWS_PER_CALL, (index + 1) * VIEWS_PER_CALL);
	});
	const answers = await rpc.settle(parts.map(aggregateCall), { signal });
	const outcomes = await Promise.all(
		parts.map((part, index) => {
			const answer = answers[index];
			// An address without code answers empty data, and no error.
			if (answer?.kind === "result" && answer.result === "0x") without.set(rpc, 1);
			const read = answer?.kind === "result" ? readAggregate(answer.result, part) : null;
			return read ?? rpc.settle(part.map(plainCall), { signal });
		}),
	);
	return outcomes.flat();
}

function plainCall(view: View): RpcCall {
	if ("coinOf" in view) return { method: "eth_getBalance", params: [view.coinOf, "latest"] };
	return { method: "eth_call", params: [{ ...view, gas: VIEW_GAS }, "latest"] };
}

function aggregateCall(views: readonly View[]): RpcCall {
	const calls = views.map((view) => {
		if (!("coinOf" in view)) return { target: view.to, allowFailure: true, callData: view.data };
		const args = [view.coinOf] as const;
		const callData = encodeFunctionData({ abi, functionName: "getEthBalance", args });
		return { target: MULTICALL, allowFailure: true, callData };
	});
	const data = encodeFunctionData({ abi, functionName: "aggregate3", args: [calls] });
	const call = { from: ZERO_ADDRESS, to: MULTICALL, data, gas: CALL_GAS };
	return { method: "eth_call", params: [call, "latest"] };
}

/** Reads the answer; null where it does not match these views. */
function readAggregate(answer: unknown, views: readonly View[]): RpcOutcome[] | null {
	const { data } = hexData.safeParse(answer);
	if (data === undefined) return null;
	try {
		const results = decodeFunctionResult({ abi, functionName: "aggregate3", data });
		if (results.length !== views.length) return null;
		return results.map(({ success, returnData }): RpcOutcome => {
			if (success) return { kind: "result", result: returnData };
			return { kind: "fault", fault: rpcFault.refused({ detail: "the view reverted" }) };
		});
	} catch {
		return null;
	}
}
