import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import { partBlocks, partTimes, splitRange } from "#plugins/chain-scanner/lane/parts.ts";
import type { BlockRef } from "#plugins/chain-scanner/sql/block.ts";

describe("partBlocks", () => {
	const hashOf = (n: number) => `0x${n.toString(16).padStart(64, "0")}` as const;
	const block = (number: number, settled: boolean): BlockRef => {
		return { number, hash: hashOf(number), parentHash: hashOf(number - 1), settled };
	};
	const event = (blockNumber: number) => {
		return { blockNumber, blockHash: hashOf(blockNumber) } as ChainEvent;
	};

	test("[ING-11] within reach of reorgs each part keeps its own blocks, and what is out of reach goes", () => {
		const reading = { blocks: [5, 6, 7, 8].map((number) => block(number, false)) };
		const part = { range: { from: 6, to: 7 }, events: [event(7)] };
		const { blocks, toHash, pruneBelow, outdatedBy } = partBlocks(part, reading, 64);
		expect(blocks.map(({ number }) => number)).toEqual([6, 7]);
		expect(toHash).toBe(hashOf(7));
		expect(pruneBelow).toBe(7 - 64);
		// Where the newest block is about to leave with 63 below it, 7 has settled all the same.
		expect(outdatedBy).toBe(7 + 2 * 64);
	});

	test("[ING-11] a settled range leaves its last block, and nothing below it but one anchor", () => {
		const reading = { blocks: [block(900, true)] };
		const part = { range: { from: 1, to: 900 }, events: [] };
		expect(partBlocks(part, reading, 64)).toEqual({
			blocks: [block(900, true)],
			toHash: hashOf(900),
			pruneBelow: 900,
			outdatedBy: null,
		});
	});

	test("[ING-11] a part of a settled range ends with its last event's block, heard of by its hash alone", () => {
		const reading = { blocks: [block(900, true)] };
		const part = { range: { from: 1, to: 400 }, events: [event(3), event(400)] };
		const { blocks, toHash } = partBlocks(part, reading, 64);
		expect(blocks).toEqual([{ ...block(400, true), parentHash: null }]);
		expect(toHash).toBe(hashOf(400));
		const nothing = { range: { from: 1, to: 400 }, events: [event(3)] };
		expect(() => partBlocks(nothing, reading, 64)).toThrow("a part ends with");
	});
});

describe("partTimes", () => {
	// Guarantee: a lane never says of a time that it holds everything of it where it does not.

	const reading = { range: { from: 10, to: 40 }, madeMs: { first: 1_000, last: 4_000 } };

	test("a part that is the whole reading has the times of its ends", () => {
		expect(partTimes({ range: { from: 10, to: 40 }, events: [] }, reading)).toEqual({
			firstMs: 1_000,
			lastMs: 4_000,
		});
	});

	test("an inner part ends at its last event's time, and its first time is unknown", () => {
		const events = [{ occurredAtMs: 2_000 }, { occurredAtMs: 2_500 }];
		expect(partTimes({ range: { from: 20, to: 25 }, events }, reading)).toEqual({
			firstMs: null,
			lastMs: 2_500,
		});
	});

	test("a source without times gives none", () => {
		const { range } = reading;
		expect(partTimes({ range, events: [] }, { range })).toEqual({ firstMs: null, lastMs: null });
	});
});

describe("splitRange", () => {
	const eventsOf = (blocks: readonly number[]) =>
		[...blocks].sort((a, b) => a - b).map((blockNumber) => ({ blockNumber }) as ChainEvent);

	test("a range without more rows than allowed stays whole", () => {
		const events = eventsOf([3, 3, 4]);
		expect(splitRange({ from: 1, to: 9 }, events, 3)).toEqual([
			{ range: { from: 1, to: 9 }, rows: events },
		]);
	});

	test("parts cover every block and event once, in order, and cut only between blocks", () => {
		fc.assert(
			fc.property(
				fc.array(fc.integer({ min: 10, max: 40 }), { maxLength: 200 }),
				fc.integer({ min: 1, max: 30 }),
				(blocks, rowsMax) => {
					const events = eventsOf(blocks);
					const parts = splitRange({ from: 10, to: 40 }, events, rowsMax);
					expect(parts.flatMap((part) => part.rows)).toEqual(events);
					expect(parts[0]?.range.from).toBe(10);
					expect(parts.at(-1)?.range.to).toBe(40);
					for (const [index, { range, rows: own }] of parts.entries()) {
						expect(range.from).toBeLessThanOrEqual(range.to);
						const next = parts[index + 1];
						if (next) expect(next.range.from).toBe(range.to + 1);
						for (const { blockNumber } of own) {
							expect(blockNumber).toBeGreaterThanOrEqual(range.from);
							expect(blockNumber).toBeLessThanOrEqual(range.to);
						}
						const oneBlock = new Set(own.map((event) => event.blockNumber)).size === 1;
						if (!oneBlock) expect(own.length).toBeLessThanOrEqual(rowsMax);
					}
				},
			),
		);
	});
});
