import type { Address } from "#core/chain/Hex.ts";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { CODE_PROBES } from "#plugins/chain-scanner/limits.ts";

/**
 * Returns the block that created a contract's code: nothing of it can have moved before. 0 where
 * the whole chain fits into one window, as a search would cost more calls than it saves; and where
 * that block cannot be found, which only means more blocks to read: nodes without history refuse
 * the request, and a contract that destroyed itself has no code now.
 *
 * The block is found exactly. A node may lack blocks below it, and a walk that begins at one of
 * those would never get past it.
 */
export async function findFirstBlock(
	rpc: Rpc,
	find: { contract: Address; endBlock: number; window: { readonly blocks: number } },
	signal: AbortSignal,
): Promise<number> {
	const { contract, endBlock, window } = find;
	if (endBlock < window.blocks) return 0;
	const [now] = await readCode(rpc, contract, [endBlock], signal);
	if (now !== true) return 0;
	let without = -1;
	let having = endBlock;
	while (having - without > 1) {
		const probes = probesBetween(without, having);
		const answers = await readCode(rpc, contract, probes, signal);
		for (const [index, block] of probes.entries()) {
			const hasCode = answers[index] ?? null;
			if (hasCode === null) return 0;
			if (!hasCode) without = block;
			if (hasCode) {
				having = block;
				break;
			}
		}
	}
	return having;
}

/** Returns blocks spread evenly between two, both excluded; at least one. */
function probesBetween(low: number, high: number): number[] {
	const step = Math.max(1, Math.floor((high - low) / (CODE_PROBES + 1)));
	const probes: number[] = [];
	for (let at = low + step; at < high && probes.length < CODE_PROBES; at += step) probes.push(at);
	return probes;
}

/** Says whether the contract has code at each block; null where the node does not answer. */
async function readCode(
	rpc: Rpc,
	contract: Address,
	blocks: readonly number[],
	signal: AbortSignal,
): Promise<(boolean | null)[]> {
	const calls = blocks.map((block) => {
		return { method: "eth_getCode", params: [contract, hexQuantity(block)] };
	});
	const outcomes = await rpc.settle(calls, { signal });
	return outcomes.map(hasCodeIn);
}

function hasCodeIn(outcome: RpcOutcome): boolean | null {
	if (outcome.kind === "fault") return null;
	const { result } = outcome;
	if (typeof result !== "string" || !/^0x[0-9a-fA-F]*$/.test(result)) {
		throw rpcFault.transport({ detail: "eth_getCode answered no bytes" });
	}
	return result !== "0x";
}
