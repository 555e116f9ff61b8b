import type { EndpointHealth } from "#core/chain/rpc/createEndpointHealth.ts";
import type { RpcCall } from "#core/chain/rpc/Rpc.ts";

/**
 * Learns from answers which blocks an endpoint has; returns whether its newest block is older than
 * the one it named before. `results` may have holes, where a call was refused.
 */
export function learnHeads(
	health: EndpointHealth,
	answer: { calls: readonly RpcCall[]; results: readonly unknown[] },
	{ bestBlock, nowMs }: { bestBlock: number; nowMs: number },
): boolean {
	let jumpedBack = false;
	for (const [index, { method, params }] of answer.calls.entries()) {
		const result = answer.results[index];
		if (method === "eth_blockNumber") {
			const block = blockOf(result);
			if (block !== null) jumpedBack = health.heardHead(block, { bestBlock, nowMs }) || jumpedBack;
		}
		if (method !== "eth_getBlockByNumber") continue;
		const asked = blockOf(params[0]);
		if (asked !== null && result === null) health.lacks(asked, nowMs);
		const served = numberOf(result);
		if (served === null) continue;
		// A block that was not requested proves nothing about others.
		if (asked !== null && served === asked) health.has(served);
		if (params[0] === "latest") {
			jumpedBack = health.heardHead(served, { bestBlock, nowMs }) || jumpedBack;
		}
	}
	return jumpedBack;
}

function numberOf(header: unknown): number | null {
	if (typeof header !== "object" || header === null || !("number" in header)) return null;
	return blockOf(header.number);
}

function blockOf(value: unknown): number | null {
	return typeof value === "string" && /^0x[0-9a-fA-F]{1,13}$/.test(value) ? Number(value) : null;
}
