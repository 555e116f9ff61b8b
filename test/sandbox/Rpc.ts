/** One JSON-RPC call by name and positional parameters. */
export type RpcCall = { method: string; params?: unknown[] };

/**
 * The world's connection to its own anvil. Answers are `unknown` until their reader has parsed
 * them.
 */
export type Rpc = {
	url: string;
	call(method: string, params?: unknown[]): Promise<unknown>;
	/** Sends calls in chunks, in order; throws the first error of any of them. */
	batch(calls: RpcCall[]): Promise<unknown[]>;
};
