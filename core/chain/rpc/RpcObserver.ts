import type { RpcCall } from "#core/chain/rpc/Rpc.ts";

/** Who is told of each HTTP request to one endpoint. */
export type RpcObserver = {
	/**
	 * Answers what to call when the request has ended, with "ok", a fault's code without `rpc_`, or
	 * "aborted" where the caller gave up.
	 */
	began(calls: readonly RpcCall[]): (outcome: string) => void;
};
