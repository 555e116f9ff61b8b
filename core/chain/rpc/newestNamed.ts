import type { RpcCall } from "#core/chain/rpc/Rpc.ts";

/**
 * Returns the newest block that an endpoint named in its answers, in any of the three ways of
 * asking for the head; null if it was not asked, or named none.
 */
export function newestNamed(answered: {
	calls: readonly RpcCall[];
	/** May have holes, where a call was refused. */
	results: readonly unknown[];
}): number | null {
	let newest: number | null = null;
	for (const [index, call] of answered.calls.entries()) {
		const block = headIn(call, answered.results[index]);
		if (block !== null) newest = Math.max(newest ?? block, block);
	}
	return newest;
}

function headIn({ method, params }: RpcCall, result: unknown): number | null {
	if (method === "eth_blockNumber") return blockOf(result);
	if (method === "eth_getBlockByNumber" && params[0] === "latest") return member(result, "number");
	const isHead = method === "eth_feeHistory" && params[0] === "0x1" && params[1] === "latest";
	return isHead ? member(result, "oldestBlock") : null;
}

function member(result: unknown, name: "number" | "oldestBlock"): number | null {
	if (typeof result !== "object" || result === null) return null;
	return blockOf(Reflect.get(result, name));
}

/** Reads a block number of any size: one that is no safe number is too far as well. */
function blockOf(value: unknown): number | null {
	return typeof value === "string" && /^0x[0-9a-f]{1,64}$/i.test(value) ? Number(value) : null;
}
