import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Head } from "#core/chain/heads/Head.ts";
import { forkPoint, runsOf } from "#plugins/chain-scanner/reorg/forkPoint.ts";
import type { BlockRef } from "#plugins/chain-scanner/sql/block.ts";

describe("forkPoint", () => {
	const hash = (number: number, branch: string) => `0x${branch}${number}` as const;

	function stored(from: number, to: number, settledTo = -1, branch = "a"): BlockRef[] {
		return Array.from({ length: to - from + 1 }, (_, index) => to - index).map((number) => {
			const parentHash = hash(number - 1, branch);
			return { number, hash: hash(number, branch), parentHash, settled: number <= settledTo };
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

	test("[ING-11] the fork is directly below the lowest block that differs, at any heights", () => {
		const depth = fc.integer({ min: 1, max: 64 });
		fc.assert(
			fc.property(depth, fc.integer({ min: 0, max: 80 }), (lost, ahead) => {
				const point = forkPoint(stored(0, 100), nodeThat(100 - lost, 100 - lost + 1 + ahead), 64);
				const block = 100 - lost;
				expect(point).toEqual({ kind: "fork", block, depth: lost, reach: block + 1 });
			}),
		);
	});

	test("[ING-11] a node with a lower head that agrees on all its blocks shows no fork", () => {
		for (const head of [100, 99, 3]) {
			expect(forkPoint(stored(0, 100), nodeThat(head, head), 64)).toEqual({ kind: "sound" });
		}
		expect(forkPoint(stored(50, 100), nodeThat(10, 10), 64)).toEqual({ kind: "sound" });
		expect(forkPoint([], nodeThat(0, 9), 64)).toEqual({ kind: "sound" });
	});

	test("[ING-11] a fork deeper than allowed is reported as too deep", () => {
		expect(forkPoint(stored(0, 100), nodeThat(36, 120), 64)).toMatchObject({ kind: "fork" });
		expect(forkPoint(stored(0, 100), nodeThat(35, 120), 64)).toEqual({
			kind: "too_deep",
			depth: 65,
		});
		// A block that had settled when it was read.
		expect(forkPoint(stored(90, 100, 97), nodeThat(96, 120), 64)).toEqual({
			kind: "too_deep",
			depth: 4,
		});
		expect(forkPoint(stored(90, 100, 97), nodeThat(97, 120), 64)).toMatchObject({ kind: "fork" });
	});

	test("[ING-11] an index that began a few blocks ago is rolled back to before its first block", () => {
		expect(forkPoint(stored(98, 100), nodeThat(90, 120), 64)).toEqual({
			kind: "fork",
			block: 97,
			depth: 3,
			reach: 98,
		});
	});

	test("[ING-11] a block confirms no block below a hole, so an orphan there is found", () => {
		const blocks = stored(90, 100).filter(({ number }) => number !== 97);
		const orphaned = blocks.map((block) =>
			block.number === 96 ? { ...block, hash: hash(96, "b") } : block,
		);
		expect(forkPoint(blocks, nodeThat(200, 120), 64)).toEqual({ kind: "sound" });
		expect(forkPoint(orphaned, nodeThat(200, 120), 64)).toEqual({
			kind: "fork",
			block: 95,
			depth: 1,
			reach: 96,
		});
	});

	test("[ING-11] a block confirms only the one whose hash it names, not the one with the number below", () => {
		const orphan = stored(96, 96, -1, "b");
		expect(forkPoint([...stored(97, 100), ...orphan], nodeThat(200, 120), 64)).toMatchObject({
			block: 95,
		});
	});

	test("[ING-11] the depth of a fork is counted from the top of the dead chain", () => {
		const length = fc.integer({ min: 1, max: 65 });
		fc.assert(
			fc.property(length, length, fc.integer({ min: 0, max: 9_000 }), (kept, share, hole) => {
				const lost = Math.min(kept, share, 64);
				const low = stored(100 - kept + 1, 100).map((block) =>
					block.number > 100 - lost ? { ...block, hash: hash(block.number, "b") } : block,
				);
				const linked = low.map((block) => {
					const isLost = block.number - 1 > 100 - lost;
					return isLost ? { ...block, parentHash: hash(block.number - 1, "b") } : block;
				});
				const blocks = [...stored(102 + hole, 110 + hole), ...linked];
				const isOld = 110 + hole - 100 >= 64;
				expect(forkPoint(blocks, nodeThat(20_000, 20_000), 64)).toEqual({
					kind: "fork",
					block: 100 - lost,
					depth: lost,
					// So old a run is not taken out on the word of a node that has not come further.
					reach: isOld ? 164 : 100 - lost + 1,
				});
			}),
		);
		const tooMany = [...stored(900, 950), ...stored(36, 100, -1, "b")];
		expect(forkPoint(tooMany, nodeThat(2_000, 2_000), 64)).toEqual({ kind: "too_deep", depth: 65 });
	});
});

describe("runsOf", () => {
	const block = (number: number, parent: string | null = `${number - 1}`): BlockRef => {
		const parentHash = parent === null ? null : (`0x${parent}` as const);
		return { number, hash: `0x${number}`, parentHash, settled: false };
	};
	const numbers = (stored: BlockRef[]) =>
		runsOf(stored, 64).map(({ blocks }) => blocks.map(({ number }) => number));

	test("[ING-11] a run of linked blocks ends at a hole, at another hash, and at a block without parent", () => {
		expect(numbers([])).toEqual([]);
		expect(numbers([block(9), block(8), block(6), block(5)])).toEqual([
			[9, 8],
			[6, 5],
		]);
		expect(numbers([block(9), block(8, "70"), block(7)])).toEqual([[9, 8], [7]]);
		expect(numbers([block(9, null), block(8)])).toEqual([[9], [8]]);
	});

	test("[ING-11] a run is old once the chain is further above it than reorgs reach", () => {
		const ages = runsOf([block(100), block(37), block(36), block(34)], 64);
		expect(ages.map(({ top, isOld }) => [top.number, isOld])).toEqual([
			[100, false],
			[37, false],
			[34, true],
		]);
	});
});
