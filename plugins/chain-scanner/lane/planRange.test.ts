import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import {
	partBlocks,
	partTimes,
	planDownward,
	planRange,
	planStart,
	splitRange,
} from "#plugins/chain-scanner/lane/planRange.ts";
import { UNSETTLED_RANGE_MAX } from "#plugins/chain-scanner/limits.ts";
import type { BlockRef } from "#plugins/chain-scanner/sql/block.ts";

describe("parts", () => {
	describe("partBlocks", () => {
		const hashOf = (n: number) => `0x${n.toString(16).padStart(64, "0")}` as const;
		const block = (number: number, settled: boolean): BlockRef => {
			return { number, hash: hashOf(number), parentHash: hashOf(number - 1), settled };
		};
		const event = (blockNumber: number) => {
			return { blockNumber, blockHash: hashOf(blockNumber) } as ChainEvent;
		};

		test("[ING-11] a part within reach of reorgs stores all its blocks, and prunes those below that reach", () => {
			const reading = { blocks: [5, 6, 7, 8].map((number) => block(number, false)) };
			const part = { range: { from: 6, to: 7 }, events: [event(7)] };
			const { blocks, toHash, pruneBelow, outdatedBy } = partBlocks(part, reading, 64);
			expect(blocks.map(({ number }) => number)).toEqual([6, 7]);
			expect(toHash).toBe(hashOf(7));
			expect(pruneBelow).toBe(7 - 64);
			// Where the newest block is about to leave with 63 below it, 7 has settled all the same.
			expect(outdatedBy).toBe(7 + 2 * 64);
		});

		test("[ING-11] a settled range stores its last block, and keeps one anchor below it", () => {
			const reading = { blocks: [block(900, true)] };
			const part = { range: { from: 1, to: 900 }, events: [] };
			expect(partBlocks(part, reading, 64)).toEqual({
				blocks: [block(900, true)],
				toHash: hashOf(900),
				pruneBelow: 900,
				outdatedBy: null,
			});
		});

		test("[ING-11] a part of a settled range ends with its last event's block, whose parent is unknown", () => {
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

		test("a part that is the whole range has the times of both ends", () => {
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

		test("a source without times gives no times", () => {
			const { range } = reading;
			expect(partTimes({ range, events: [] }, { range })).toEqual({ firstMs: null, lastMs: null });
		});
	});

	describe("splitRange", () => {
		const eventsOf = (blocks: readonly number[]) =>
			[...blocks].sort((a, b) => a - b).map((blockNumber) => ({ blockNumber }) as ChainEvent);

		test("a range with at most the allowed rows is not split", () => {
			const events = eventsOf([3, 3, 4]);
			expect(splitRange({ from: 1, to: 9 }, events, 3)).toEqual([
				{ range: { from: 1, to: 9 }, rows: events },
			]);
		});

		test("parts contain every block and event once, in order, and are split only between blocks", () => {
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
});

describe("planRange", () => {
	describe("planRange", () => {
		const asks = fc.record({
			from: fc.integer({ min: 0, max: 5_000 }),
			head: fc.integer({ min: 0, max: 5_000 }),
			blocksMax: fc.integer({ min: 1, max: 1_000 }),
			reorgDepthMax: fc.integer({ min: 64, max: 500 }),
		});

		test("[ING-11] no range mixes blocks within reach of reorgs with settled blocks", () => {
			fc.assert(
				fc.property(asks, (ask) => {
					const { range, read } = planRange(ask);
					expect(read.unsettledFrom).toBe(ask.head - ask.reorgDepthMax + 1);
					const isUnsettled = range.from >= read.unsettledFrom;
					expect(range.to >= read.unsettledFrom).toBe(isUnsettled);
					// A settled range is one that the node itself has moved far enough beyond.
					expect(read.settledBy).toBe(isUnsettled ? null : range.to + ask.reorgDepthMax);
					if (!isUnsettled) expect(range.to + ask.reorgDepthMax).toBeLessThanOrEqual(ask.head);
				}),
			);
		});

		test("[ING-08] a range begins at the requested block, is never empty and never too wide", () => {
			fc.assert(
				fc.property(asks, (ask) => {
					const { range, read } = planRange(ask);
					const blocks = range.to - range.from + 1;
					expect(range.from).toBe(ask.from);
					expect(blocks).toBeGreaterThan(0);
					expect(blocks).toBeLessThanOrEqual(ask.blocksMax);
					if (range.from >= read.unsettledFrom) {
						expect(blocks).toBeLessThanOrEqual(UNSETTLED_RANGE_MAX);
					}
					if (ask.from <= ask.head) expect(range.to).toBeLessThanOrEqual(ask.head);
				}),
			);
		});
	});

	describe("planStart", () => {
		test("[ING-03] a first start begins at the head, not with history", () => {
			expect(planStart({ cursor: null, head: 5_000, scanFrom: null })).toEqual({
				next: 5_000,
				gap: null,
			});
		});

		test("a first start begins at NFT_SCAN_FROM_BLOCK if it is set", () => {
			expect(planStart({ cursor: null, head: 5_000, scanFrom: 7 })).toEqual({ next: 7, gap: null });
		});

		test("[ING-03] a restart at most one window behind continues from its cursor", () => {
			expect(planStart({ cursor: 4_000, head: 5_000, scanFrom: 7 })).toEqual({
				next: 4_001,
				gap: null,
			});
			expect(planStart({ cursor: 5_000, head: 5_000, scanFrom: null }).next).toBe(5_001);
		});

		test("[ING-03] a restart further behind begins at the head and leaves a gap", () => {
			expect(planStart({ cursor: 3_999, head: 5_000, scanFrom: null })).toEqual({
				next: 5_000,
				gap: { from: 4_000, to: 4_999 },
			});
		});

		test("a lane whose cursor is above the head waits: no block is read twice, and no gap is made", () => {
			expect(planStart({ cursor: 9, head: 5, scanFrom: null })).toEqual({ next: 10, gap: null });
		});

		test("[ING-03] every block is read or in the gap, and none in both, at any distance", () => {
			fc.assert(
				fc.property(fc.nat(100_000), fc.nat(100_000), (cursor, distance) => {
					const head = cursor + distance;
					const { next, gap } = planStart({ cursor, head, scanFrom: null });
					expect(gap ? gap.from : next).toBe(cursor + 1);
					if (gap) expect(gap.to).toBe(next - 1);
				}),
			);
		});
	});

	describe("planDownward", () => {
		const asks = fc
			.record({
				from: fc.integer({ min: 0, max: 5_000 }),
				length: fc.integer({ min: 1, max: 3_000 }),
				head: fc.integer({ min: 0, max: 8_000 }),
				blocksMax: fc.integer({ min: 1, max: 1_000 }),
				reorgDepthMax: fc.integer({ min: 64, max: 500 }),
			})
			.map(({ from, length, ...rest }) => ({ gap: { from, to: from + length - 1 }, ...rest }));

		test("[ING-10] a gap is read from its top, within its bounds and never in too wide ranges", () => {
			fc.assert(
				fc.property(asks, (ask) => {
					const { range, read } = planDownward(ask);
					const blocks = range.to - range.from + 1;
					expect(range.to).toBe(ask.gap.to);
					expect(range.from).toBeGreaterThanOrEqual(ask.gap.from);
					expect(blocks).toBeGreaterThan(0);
					expect(blocks).toBeLessThanOrEqual(ask.blocksMax);
					if (range.to >= read.unsettledFrom) {
						expect(blocks).toBeLessThanOrEqual(UNSETTLED_RANGE_MAX);
					}
				}),
			);
		});

		test("[ING-11] a part of a gap is either within reach of reorgs or settled, never both", () => {
			fc.assert(
				fc.property(asks, (ask) => {
					const { range, read } = planDownward(ask);
					const isUnsettled = range.to >= read.unsettledFrom;
					expect(range.from >= read.unsettledFrom).toBe(isUnsettled);
					expect(read.settledBy).toBe(isUnsettled ? null : range.to + ask.reorgDepthMax);
				}),
			);
		});
	});
});
