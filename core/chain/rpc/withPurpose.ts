import type { Rpc, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import type { RpcPurpose } from "#core/chain/rpc/RpcPurpose.ts";

/** Returns the same `Rpc` for one user: each question carries the purpose. */
export function withPurpose(rpc: Rpc, purpose: RpcPurpose): Rpc {
	const own = { purpose };
	const as = (options: RpcOptions | undefined) => (options ? { ...options, purpose } : own);
	return {
		call: (call, options) => rpc.call(call, as(options)),
		batch: (calls, options) => rpc.batch(calls, as(options)),
		settle: (calls, options) => rpc.settle(calls, as(options)),
		distrust: rpc.distrust,
		isScarce: () => rpc.isScarce?.() ?? false,
		stats: rpc.stats,
	};
}
