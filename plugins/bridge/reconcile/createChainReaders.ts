// Chooses the nodes that a chain is read by.

import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { chainRpc } from "#core/chain/rpc/chainRpc.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import { rpcFault } from "#core/chain/rpc/Rpc.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { ChainReader, ChainReaders } from "#plugins/bridge/bridgeConfig.ts";
import { FOREIGN_RPC_BYTES_MAX, FOREIGN_RPC_TIMEOUT_MS } from "#plugins/bridge/limits.ts";

const HTTP = /^https?:/;
/** Readers of public nodes that are kept; each is made again where it is needed. */
const FOREIGN_KEPT_MAX = 500;
const answerSchema = z.object({
	result: z.unknown().optional(),
	error: z.object({ message: z.string().optional() }).nullish(),
});

/**
 * Makes what chooses the node that a chain is read by: the deployment's own nodes where it reaches
 * the chain, then those of `BRIDGE_RPC_URLS_JSON`, then the provider's public node, which a
 * stranger chose and which is reached by the guarded way alone.
 */
export function createChainReaders(options: {
	core: Pick<Core, "reached" | "foreignFetch" | "clock" | "log" | "chains">;
	urls: Readonly<Record<string, readonly string[]>>;
}): ChainReaders {
	const { core, urls } = options;
	const made = new Map<number, ChainReader>();
	const foreign = new Map<string, ChainReader>();
	for (const { chain, rpcFor } of core.reached) {
		const rpc = rpcFor("intents");
		made.set(chain.id, (method, params, signal) => rpc.call({ method, params }, { signal }));
	}
	for (const [id, named] of Object.entries(urls)) {
		const http = [...new Set(named.filter((one) => HTTP.test(one)))];
		if (made.has(Number(id)) || http.length === 0) continue;
		made.set(Number(id), ownReader(core, Number(id), http));
	}
	const own = (chainId: number) => made.get(chainId) ?? null;
	return {
		own,
		of(chainId, publicUrl) {
			const ours = own(chainId);
			if (ours || publicUrl === null || !HTTP.test(publicUrl)) return ours;
			const key = `${chainId} ${publicUrl}`;
			const reader = foreign.get(key) ?? checked(chainId, foreignReader(core, publicUrl));
			if (foreign.size >= FOREIGN_KEPT_MAX) foreign.clear();
			foreign.set(key, reader);
			return reader;
		},
	};
}

/** Wraps a reader: it must say that it serves the chain before anything of it counts. */
function checked(chainId: number, read: ChainReader): ChainReader {
	let isRight = false;
	return async (method, params, signal) => {
		if (!isRight) {
			const told = await read("eth_chainId", [], signal);
			if (Number(told) !== chainId) throw rpcFault.transport({ detail: "a node of another chain" });
			isRight = true;
		}
		return await read(method, params, signal);
	};
}

/** Reads a chain by the pool of an operator's endpoints: one that is away passes to the next. */
function ownReader(
	{ clock, log, chains }: Pick<Core, "clock" | "log" | "chains">,
	chainId: number,
	urls: readonly string[],
): ChainReader {
	const limits = { timeoutMs: FOREIGN_RPC_TIMEOUT_MS, batchMax: 1, concurrencyMax: 4 };
	const rpc = chainRpc({
		chain: chains.byId(chainId) ?? unknownChain(chainId),
		...{ clock, log },
		endpoints: urls.map((url, index) => ({
			// A key often stands in the path, so the host alone is a name.
			name: `${new URL(url).host} ${index}`,
			open: (observer) =>
				httpRpc({ ...limits, url, observer, bodyBytesMax: FOREIGN_RPC_BYTES_MAX }),
		})),
	});
	return (method, params, signal) => rpc.call({ method, params }, { signal });
}

/** Describes a chain that nothing but bridges know: it is read, and nothing is indexed of it. */
function unknownChain(id: number): Chain {
	const nativeCurrency = { symbol: "ETH", decimals: 18 };
	return {
		...{ id, slug: `chain-${id}`, name: `Chain ${id}`, nativeCurrency, nativeIsEth: false },
		...{ wrappedNative: null, aliases: [], publicRpcUrls: [] },
	};
}

function foreignReader({ foreignFetch }: Pick<Core, "foreignFetch">, url: string): ChainReader {
	return async (method, params, signal) => {
		const answer = await foreignFetch({
			...{ url, signal, accept: "application/json" },
			...{ bytesMax: FOREIGN_RPC_BYTES_MAX, timeoutMs: FOREIGN_RPC_TIMEOUT_MS },
			json: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
		});
		const { data } = answerSchema.safeParse(jsonOf(answer.body));
		if (answer.status >= 300 || !data || data.error) {
			throw rpcFault.transport({ detail: `a public node: HTTP ${answer.status}` });
		}
		return data.result;
	};
}

function jsonOf(body: Uint8Array): unknown {
	try {
		return JSON.parse(Buffer.from(body).toString("utf8"));
	} catch {
		return null;
	}
}
