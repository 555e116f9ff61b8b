import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import type { RpcPurpose } from "#core/chain/rpc/RpcPurpose.ts";

/** Observes each HTTP request to one endpoint. */
export type RpcObserver = {
	/**
	 * Called when a request begins. Returns the function to call at its end, with "ok", a fault's
	 * code without `rpc_`, or "aborted" where the caller gave up; and with the number of bytes read.
	 */
	began(calls: readonly RpcCall[], purpose: RpcPurpose): (outcome: string, bytes: number) => void;
};
