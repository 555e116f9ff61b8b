import type { RpcCall } from "#core/chain/rpc/Rpc.ts";

/** What takes a node about as long: figures of one class say nothing about the other. */
export type CallClass = "light" | "logs";

/** A request is as heavy as its heaviest call. */
export function callClassOf(calls: readonly RpcCall[]): CallClass {
	return calls.some(({ method }) => method === "eth_getLogs") ? "logs" : "light";
}
