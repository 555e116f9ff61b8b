import {
	type Abi,
	type Address,
	decodeFunctionResult,
	encodeFunctionData,
	type Hex,
	isHex,
} from "viem";
import { z } from "zod";
import type { Rpc } from "../../Rpc.ts";

export type View = { to: Address; abi: Abi; functionName: string; args?: readonly unknown[] };

const Reply = z.object({ id: z.int(), result: z.custom<Hex>((value) => isHex(value)).optional() });
const CALLS_PER_REQUEST_MAX = 200;
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Calls many views at once; a result is undefined where the call reverts or does not match its ABI.
 *
 * Not by `Rpc.batch`, where one failure fails all: half of these calls find out whether a contract
 * supports them.
 */
export async function callViews(rpc: Rpc, views: readonly View[]): Promise<unknown[]> {
	const results: unknown[] = new Array(views.length).fill(undefined);
	for (let at = 0; at < views.length; at += CALLS_PER_REQUEST_MAX) {
		const part = views.slice(at, at + CALLS_PER_REQUEST_MAX);
		const response = await fetch(rpc.url, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify(part.map((view, id) => requestOf(view, id))),
			signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
		});
		for (const { id, result } of z.array(Reply).parse(await response.json())) {
			const view = part[id];
			if (view && result !== undefined) results[at + id] = decode(view, result);
		}
	}
	return results;
}

function requestOf({ to, abi, functionName, args }: View, id: number): object {
	const data = encodeFunctionData({ abi, functionName, args: args ?? [] });
	return { jsonrpc: "2.0", id, method: "eth_call", params: [{ to, data }, "latest"] };
}

function decode({ abi, functionName }: View, data: Hex): unknown {
	try {
		return decodeFunctionResult({ abi, functionName, data });
	} catch {
		return undefined;
	}
}
