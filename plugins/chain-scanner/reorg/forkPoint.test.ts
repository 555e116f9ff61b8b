import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Head } from "#core/chain/heads/Head.ts";
import { forkPoint } from "#plugins/chain-scanner/reorg/forkPoint.ts";
import type { StoredBlock } from "#plugins/chain-scanner/sql/block.ts";

const hash = (number: number, branch: string) => `0x${branch}${number}` as const;

function stored(from: number, to: number, settledTo = -1): StoredBlock[] {
	return Array.from({ length: to - from + 1 }, (_, index) => to - index).map((number) => {
		return { number, hash: hash(number, "a"), settled: number <= settledTo };
	});
}

/** A node that shares our chain up to a block, and then has its own up to its head. */
function nodeThat(shares: number, head: number) {
	return (number: number): Head | null => {
		if (number > head) return null;
		const branch = (block: number) => (block <= shares ? "a" : "b");
		return {
			number,
			hash: hash(number, branch(number)),
			parentHash: hash(number - 1, branch(number - 1)),
			timestampMs: 0,
			logsBloom: null,
		};
	};
}

test("[ING-11] the fork is right below the lowest block that differs, whatever the heights", () => {
	const depth = fc.integer({ min: 1, max: 64 });
	fc.assert(
		fc.property(depth, fc.integer({ min: 0, max: 80 }), (lost, ahead) => {
			const point = forkPoint(stored(0, 100), nodeThat(100 - lost, 100 - lost + 1 + ahead), 64);
			expect(point).toEqual({ kind: "fork", block: 100 - lost, depth: lost });
		}),
	);
});

test("[ING-11] a node whose head is lower and that agrees as far as it goes is no fork", () => {
	for (const head of [100, 99, 3]) {
		expect(forkPoint(stored(0, 100), nodeThat(head, head), 64)).toEqual({ kind: "sound" });
	}
	expect(forkPoint(stored(50, 100), nodeThat(10, 10), 64)).toEqual({ kind: "sound" });
	expect(forkPoint([], nodeThat(0, 9), 64)).toEqual({ kind: "sound" });
});

test("[ING-11] deeper than may be is an alarm and no guess", () => {
	expect(forkPoint(stored(0, 100), nodeThat(36, 120), 64)).toMatchObject({ kind: "fork" });
	expect(forkPoint(stored(0, 100), nodeThat(35, 120), 64)).toEqual({ kind: "too_deep", depth: 65 });
	// A block that had settled when it was read.
	expect(forkPoint(stored(90, 100, 97), nodeThat(96, 120), 64)).toEqual({
		kind: "too_deep",
		depth: 4,
	});
	expect(forkPoint(stored(90, 100, 97), nodeThat(97, 120), 64)).toMatchObject({ kind: "fork" });
});

test("[ING-11] an index that began a few blocks ago is taken back to before its beginning", () => {
	expect(forkPoint(stored(98, 100), nodeThat(90, 120), 64)).toEqual({
		kind: "fork",
		block: 97,
		depth: 3,
	});
});

test("[ING-11] beyond a hole a block vouches for nobody: the orphan under a stepped-over block is found", () => {
	const blocks = stored(90, 100).filter(({ number }) => number !== 97);
	const orphaned = blocks.map((block) =>
		block.number === 96 ? { ...block, hash: hash(96, "b") } : block,
	);
	expect(forkPoint(blocks, nodeThat(200, 120), 64)).toEqual({ kind: "sound" });
	expect(forkPoint(orphaned, nodeThat(200, 120), 64)).toEqual({
		kind: "fork",
		block: 95,
		depth: 5,
	});
});
