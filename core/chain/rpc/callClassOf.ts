import type { RpcCall } from "#core/chain/rpc/Rpc.ts";

/** Classes of calls with similar duration: figures of one class say nothing about the other. */
export type CallClass = "light" | "logs";

/** Returns the class of a request: that of its heaviest call. */
export function callClassOf(calls: readonly RpcCall[]): CallClass {
	return calls.some(({ method }) => method === "eth_getLogs") ? "logs" : "light";
}
