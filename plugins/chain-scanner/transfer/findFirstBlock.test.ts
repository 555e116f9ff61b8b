import { expect, test } from "bun:test";
import fc from "fast-check";
import { rpcFault } from "#core/chain/rpc/faults.ts";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { findFirstBlock } from "#plugins/chain-scanner/transfer/findFirstBlock.ts";

const contract = "0x0000000000000000000000000000000000000721";
const { signal } = new AbortController();

/** A node that knows a contract's code from one block on, and refuses what is below another. */
function nodeOf(first: number, knownFrom = 0) {
	const seen = { rounds: 0 };
	const settle: Rpc["settle"] = async (calls) => {
		seen.rounds++;
		return calls.map(({ params }): RpcOutcome => {
			const block = Number(params[1]);
			if (block >= knownFrom) return { kind: "result", result: block >= first ? "0x60" : "0x" };
			return { kind: "fault", fault: rpcFault.refused({ detail: "missing trie node" }) };
		});
	};
	const rpc: Rpc = {
		settle,
		call: () => Promise.reject(rpcFault.transport()),
		batch: () => Promise.reject(rpcFault.transport()),
		distrust() {},
		stats: () => ({ requests: 0, calls: 0, bytes: 0 }),
	};
	return { rpc, seen };
}

test("[IDX-11] a walk begins at the block that made the contract, found in a few rounds", async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.integer({ min: 0, max: 30_000_000 }),
			fc.integer({ min: 0, max: 30_000_000 }),
			async (a, b) => {
				const node = nodeOf(Math.min(a, b));
				const endBlock = Math.max(a, b);
				expect(await findFirstBlock(node.rpc, { contract, endBlock }, signal)).toBe(Math.min(a, b));
				expect(node.seen.rounds).toBeLessThan(12);
			},
		),
	);
});

test("[IDX-11] a node without history, or a contract without code, has the walk begin at 0", async () => {
	const find = { contract, endBlock: 1_000 } as const;
	expect(await findFirstBlock(nodeOf(300, 900).rpc, find, signal)).toBe(0);
	expect(await findFirstBlock(nodeOf(2_000).rpc, find, signal)).toBe(0);
});
