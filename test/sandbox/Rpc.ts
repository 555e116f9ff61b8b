/** One JSON-RPC call by name and positional parameters. */
export type RpcCall = { method: string; params?: unknown[] };

/** The world's line to its own anvil: answers are `unknown` until their reader has looked. */
export type Rpc = {
	url: string;
	call(method: string, params?: unknown[]): Promise<unknown>;
	/** Sent in chunks, in order; the first error of any of them throws. */
	batch(calls: RpcCall[]): Promise<unknown[]>;
};
