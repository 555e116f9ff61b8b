import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { planDownward, planRange, planStart } from "#plugins/chain-scanner/lane/planRange.ts";
import { UNSETTLED_RANGE_MAX } from "#plugins/chain-scanner/limits.ts";

describe("planRange", () => {
	const asks = fc.record({
		from: fc.integer({ min: 0, max: 5_000 }),
		head: fc.integer({ min: 0, max: 5_000 }),
		blocksMax: fc.integer({ min: 1, max: 1_000 }),
		reorgDepthMax: fc.integer({ min: 64, max: 500 }),
	});

	test("[ING-11] no range mixes blocks that may leave the chain with blocks that may not", () => {
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

	test("[ING-08] a range begins where it was asked to, is never empty and never too wide", () => {
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
	test("[ING-03] a first start begins at the head, never with history", () => {
		expect(planStart({ cursor: null, head: 5_000, scanFrom: null })).toEqual({
			next: 5_000,
			gap: null,
		});
	});

	test("a first start begins where NFT_SCAN_FROM_BLOCK says", () => {
		expect(planStart({ cursor: null, head: 5_000, scanFrom: 7 })).toEqual({ next: 7, gap: null });
	});

	test("[ING-03] a restart at most one window behind goes on from its cursor", () => {
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

	test("a cursor above the head waits: nothing is read twice and nothing is a gap", () => {
		expect(planStart({ cursor: 9, head: 5, scanFrom: null })).toEqual({ next: 10, gap: null });
	});

	test("[ING-03] whatever the distance, every block is read or in the gap, and none twice", () => {
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

	test("[ING-10] a gap is taken off from its top, never more than it holds and never too wide", () => {
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

	test("[ING-11] a part of a gap lies wholly within reach of reorgs, or wholly below it", () => {
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
