import { z } from "zod";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";
import type { Core } from "#core/plugin/Core.ts";
import { FOREIGN_RPC_BYTES_MAX, FOREIGN_RPC_TIMEOUT_MS } from "#plugins/bridge/limits.ts";

/** Asks a node one thing. Throws where it does not answer. */
export type ChainReader = (
	method: string,
	params: readonly unknown[],
	signal: AbortSignal,
) => Promise<unknown>;

export type ChainReaders = {
	/** Null: nobody here knows a node of the chain. */
	of(chainId: number, publicUrl: string | null): ChainReader | null;
};

const HTTP = /^https?:/;
const answerSchema = z.object({
	result: z.unknown().optional(),
	error: z.object({ message: z.string().optional() }).nullish(),
});

/**
 * Returns who reads a chain that money arrives on: the deployment's own nodes where it reaches the
 * chain, then those of `BRIDGE_RPC_URLS_JSON`, then the provider's public node, which a stranger
 * chose and which is reached by the guarded way alone.
 */
export function createChainReaders(options: {
	core: Pick<Core, "reached" | "foreignFetch">;
	urls: Readonly<Record<string, readonly string[]>>;
}): ChainReaders {
	const { core, urls } = options;
	const made = new Map<number, ChainReader>();
	for (const { chain, rpcFor } of core.reached) {
		const rpc = rpcFor("intents");
		made.set(chain.id, (method, params, signal) => rpc.call({ method, params }, { signal }));
	}
	for (const [id, named] of Object.entries(urls)) {
		const url = named.find((one) => HTTP.test(one));
		if (made.has(Number(id)) || url === undefined) continue;
		made.set(Number(id), checked(Number(id), ownReader(url)));
	}
	return {
		of(chainId, publicUrl) {
			const own = made.get(chainId);
			if (own || publicUrl === null || !HTTP.test(publicUrl)) return own ?? null;
			const reader = checked(chainId, foreignReader(core, publicUrl));
			made.set(chainId, reader);
			return reader;
		},
	};
}

function ownReader(url: string): ChainReader {
	const rpc = httpRpc({
		...{ url, timeoutMs: FOREIGN_RPC_TIMEOUT_MS, batchMax: 1, concurrencyMax: 4 },
		bodyBytesMax: FOREIGN_RPC_BYTES_MAX,
	});
	return (method, params, signal) => rpc.call({ method, params }, { signal });
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

/** Believes nothing of a node before it said that it serves the chain. */
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
