import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import type { View } from "#plugins/market-index/metadata/callContract.ts";

/** Multicall3, at the same address on some 250 chains (https://github.com/mds1/multicall3). */
export const MULTICALL: Address = "0xca11bde05977b3631167028862be2a173976ca11";

/** The gas limit of all views together: what nodes allow for one call. */
const GAS_MAX = "0x2faf080";

const abi = parseAbi([
	"struct Call3 { address target; bool allowFailure; bytes callData; }",
	"struct Result { bool success; bytes returnData; }",
	"function aggregate3(Call3[] calls) payable returns (Result[] returnData)",
]);

/** Returns one `eth_call` of Multicall3 that makes all these calls; one failure stops no other. */
export function aggregateCall(views: readonly View[]): RpcCall {
	const calls = views.map(({ contract, data }) => {
		return { target: contract, allowFailure: true, callData: data };
	});
	const data = encodeFunctionData({ abi, functionName: "aggregate3", args: [calls] });
	return { method: "eth_call", params: [{ to: MULTICALL, data, gas: GAS_MAX }, "latest"] };
}

/** Returns each view's answer, undefined where it failed; null where this is no such answer. */
export function readAggregate(answer: unknown, count: number): (Hex | undefined)[] | null {
	if (typeof answer !== "string" || !/^0x([0-9a-f]{2})+$/i.test(answer)) return null;
	try {
		const data = answer as Hex;
		const results = decodeFunctionResult({ abi, functionName: "aggregate3", data });
		if (results.length !== count) return null;
		return results.map(({ success, returnData }) => (success ? returnData : undefined));
	} catch {
		return null;
	}
}
