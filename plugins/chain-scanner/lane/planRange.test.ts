import { expect, test } from "bun:test";
import fc from "fast-check";
import { planRange } from "#plugins/chain-scanner/lane/planRange.ts";
import { UNSETTLED_RANGE_MAX } from "#plugins/chain-scanner/limits.ts";

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
