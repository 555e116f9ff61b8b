import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Rpc, type RpcOutcome, rpcFault } from "#core/chain/rpc/Rpc.ts";
import { findFirstBlock } from "#plugins/chain-scanner/transfer/walkWindow.ts";

describe("findFirstBlock", () => {
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

	test("[IDX-11] a walk begins at the block that created the contract, found in a few calls", async () => {
		const blocks = fc.integer({ min: 0, max: 30_000_000 });
		await fc.assert(
			fc.asyncProperty(blocks, blocks, fc.constantFrom(1, 100, 1_000_000), async (a, b, width) => {
				const [first, endBlock] = [Math.min(a, b), Math.max(a, b)];
				const node = nodeOf(first);
				const find = { contract, endBlock, window: { blocks: width } } as const;
				const from = await findFirstBlock(node.rpc, find, signal);
				// Below it the node may have nothing: a walk that began there would end there.
				expect(from).toBe(endBlock < width ? 0 : first);
				expect(node.seen.rounds).toBeLessThan(20);
			}),
		);
	});

	test("[IDX-11] a history that fits into one window is not searched, because a search would cost more", async () => {
		const node = nodeOf(300);
		const window = { blocks: 1_001 };
		expect(await findFirstBlock(node.rpc, { contract, endBlock: 1_000, window }, signal)).toBe(0);
		expect(node.seen.rounds).toBe(0);
	});

	test("[IDX-11] for a node without history, or a contract without code, the walk begins at block 0", async () => {
		const find = { contract, endBlock: 1_000, window: { blocks: 10 } } as const;
		expect(await findFirstBlock(nodeOf(300, 900).rpc, find, signal)).toBe(0);
		expect(await findFirstBlock(nodeOf(2_000).rpc, find, signal)).toBe(0);
	});
});
