// Makes a plain JSON-RPC client for the sandbox.

import { z } from "zod";

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

const CALLS_PER_REQUEST_MAX = 500;
const REQUEST_TIMEOUT_MS = 60_000;

const Reply = z.object({
	id: z.number(),
	result: z.unknown().optional(),
	error: z.object({ code: z.number(), message: z.string() }).optional(),
});

const Block = z.object({ number: z.string(), hash: z.string(), timestamp: z.string() });

/**
 * Makes a plain JSON-RPC client: viem's would poll, retry and estimate, and history sends thousands
 * of transactions.
 */
export function createRpc(url: string): Rpc {
	async function batch(calls: RpcCall[]): Promise<unknown[]> {
		const results: unknown[] = [];
		for (let at = 0; at < calls.length; at += CALLS_PER_REQUEST_MAX) {
			results.push(...(await send(url, calls.slice(at, at + CALLS_PER_REQUEST_MAX))));
		}
		return results;
	}
	return {
		url,
		batch,
		async call(method, params) {
			const [result] = await batch([{ method, params: params ?? [] }]);
			return result;
		},
	};
}

/** Reads the newest block; never cached, because a person may have mined one. */
export async function readHead(rpc: Rpc): Promise<{ number: number; hash: string; timeS: number }> {
	const block = Block.parse(await rpc.call("eth_getBlockByNumber", ["latest", false]));
	return { number: Number(block.number), hash: block.hash, timeS: Number(block.timestamp) };
}

async function send(url: string, calls: RpcCall[]): Promise<unknown[]> {
	const body = calls.map(({ method, params }, id) => ({
		jsonrpc: "2.0",
		id,
		method,
		params: params ?? [],
	}));
	const response = await fetch(url, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(body),
		signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
	});
	const replies = z.array(Reply).parse(await response.json());
	const results: unknown[] = new Array(calls.length);
	for (const reply of replies) {
		if (reply.error)
			throw new Error(`${calls[reply.id]?.method}: ${reply.error.message.slice(0, 500)}`);
		results[reply.id] = reply.result;
	}
	return results;
}
