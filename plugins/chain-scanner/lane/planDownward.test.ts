import { expect, test } from "bun:test";
import fc from "fast-check";
import { planDownward } from "#plugins/chain-scanner/lane/planDownward.ts";
import { UNSETTLED_RANGE_MAX } from "#plugins/chain-scanner/limits.ts";

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
