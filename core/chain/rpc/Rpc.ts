/** One JSON-RPC call. */
export type RpcCall = { method: string; params: readonly unknown[] };

export type RpcOptions = { signal?: AbortSignal | undefined };

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
	stats(): RpcStats;
};
