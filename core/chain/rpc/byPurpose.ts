import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { RPC_PURPOSES, type RpcPurpose } from "#core/chain/rpc/RpcPurpose.ts";
import { withPurpose } from "#core/chain/rpc/withPurpose.ts";

/** Returns the same `Rpc` once per purpose. */
export function byPurpose(rpc: Rpc): Record<RpcPurpose, Rpc> {
	const made: Partial<Record<RpcPurpose, Rpc>> = {};
	for (const purpose of PURPOSES) made[purpose] = withPurpose(rpc, purpose);
	return made as Record<RpcPurpose, Rpc>;
}

const PURPOSES = Object.keys(RPC_PURPOSES) as RpcPurpose[];
