import type { Chain } from "#core/chain/Chain.ts";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import type { Rpc, RpcCall, RpcOptions } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { Log } from "#core/log/Log.ts";

/** One endpoint: the URL for the log (without secrets) and how to talk to it. */
export type RpcEndpoint = { name: string; rpc: Rpc };

/**
 * JSON-RPC to a chain through its endpoints, the first that works first.
 *
 * Before an endpoint's first answer is believed, and again after each time it failed, it must say
 * that it serves this chain: an endpoint that was swapped under us must not reach the index.
 */
export function chainRpc(options: {
	chain: Chain;
	endpoints: readonly RpcEndpoint[];
	log: Log;
}): Rpc {
	const { chain, endpoints, log } = options;
	const verified = new Set<RpcEndpoint>();
	const complained = new Set<RpcEndpoint>();
	let preferred = 0;

	return {
		call: (call, callOptions) => attempt((rpc) => rpc.call(call, callOptions), callOptions),
		batch: (calls: readonly RpcCall[], callOptions?: RpcOptions) =>
			attempt((rpc) => rpc.batch(calls, callOptions), callOptions),
		settle: (calls: readonly RpcCall[], callOptions?: RpcOptions) =>
			attempt((rpc) => rpc.settle(calls, callOptions), callOptions),
		stats() {
			const sum = { requests: 0, calls: 0, bytes: 0 };
			for (const { rpc } of endpoints) {
				const stats = rpc.stats();
				sum.requests += stats.requests;
				sum.calls += stats.calls;
				sum.bytes += stats.bytes;
			}
			return sum;
		},
	};

	/** Tries each endpoint once. Only silence moves on; a node's own "no" would be said again. */
	async function attempt<Result>(
		ask: (rpc: Rpc) => Promise<Result>,
		callOptions: RpcOptions | undefined,
	): Promise<Result> {
		let last: unknown = rpcFault.transport({ detail: `${chain.slug} has no endpoint` });
		for (let tried = 0; tried < endpoints.length; tried++) {
			const index = (preferred + tried) % endpoints.length;
			const endpoint = endpoints[index];
			if (!endpoint) break;
			try {
				await verify(endpoint, callOptions);
				const result = await ask(endpoint.rpc);
				preferred = index;
				return result;
			} catch (error) {
				last = error;
				if (callOptions?.signal?.aborted || !isSilence(error)) throw error;
				verified.delete(endpoint);
			}
		}
		throw last;
	}

	async function verify(endpoint: RpcEndpoint, callOptions: RpcOptions | undefined) {
		if (verified.has(endpoint)) return;
		const answer = await endpoint.rpc.call({ method: "eth_chainId", params: [] }, callOptions);
		if (typeof answer === "string" && Number(answer) === chain.id) {
			verified.add(endpoint);
			complained.delete(endpoint);
			return;
		}
		const context = { chain: chain.slug, endpoint: endpoint.name, expected: chain.id, answer };
		if (!complained.has(endpoint)) log.error("an RPC endpoint serves another chain", context);
		complained.add(endpoint);
		throw rpcFault.wrongChain({ detail: JSON.stringify(context) });
	}
}

function isSilence(error: unknown): boolean {
	if (!(error instanceof Fault)) return false;
	return error.code === "rpc_transport" || error.code === "rpc_wrong_chain";
}
