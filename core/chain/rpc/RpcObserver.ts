import type { RpcCall } from "#core/chain/rpc/Rpc.ts";
import type { RpcPurpose } from "#core/chain/rpc/RpcPurpose.ts";

/** Who is told of each HTTP request to one endpoint. */
export type RpcObserver = {
	/**
	 * Answers what to call when the request has ended, with "ok", a fault's code without `rpc_`, or
	 * "aborted" where the caller gave up; and with how many bytes were read.
	 */
	began(calls: readonly RpcCall[], purpose: RpcPurpose): (outcome: string, bytes: number) => void;
};
