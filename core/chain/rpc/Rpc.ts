import type { Fault } from "#core/fault/Fault.ts";

/** One JSON-RPC call. */
export type RpcCall = { method: string; params: readonly unknown[] };

export type RpcOptions = {
	signal?: AbortSignal | undefined;
	/** Refuses a larger answer as `rpc_range`, with how many times too large it is in `meta`. */
	bodyBytesMax?: number | undefined;
};

/** One call's own outcome in a batch whose calls stand for themselves. */
export type RpcOutcome = { kind: "result"; result: unknown } | { kind: "fault"; fault: Fault };

/** How much was asked of the endpoints so far. */
export type RpcStats = { requests: number; calls: number; bytes: number };

/**
 * JSON-RPC to one chain. Results are what the node sent, unparsed: whoever asks checks.
 *
 * Throws only `rpcFault`s: `rpc_transport` (nothing was learned, ask again), `rpc_range` (the
 * node finds the range too large, ask for less), `rpc_refused` (the node answered an error), and
 * `rpc_wrong_chain` where no endpoint serves the chain.
 */
export type Rpc = {
	call(call: RpcCall, options?: RpcOptions): Promise<unknown>;
	/** Results in the order of the calls. One call's error fails all. */
	batch(calls: readonly RpcCall[], options?: RpcOptions): Promise<unknown[]>;
	/** The same, but a call that the node refuses fails alone. Throws where nothing was learned. */
	settle(calls: readonly RpcCall[], options?: RpcOptions): Promise<RpcOutcome[]>;
	stats(): RpcStats;
};
