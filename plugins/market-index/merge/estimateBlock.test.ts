import { expect, test } from "bun:test";
import fc from "fast-check";
import { estimateBlock } from "#plugins/market-index/merge/estimateBlock.ts";

const NOW_MS = Date.UTC(2026, 10, 21);
const FIRST_MS = Date.UTC(2015, 0, 1);
const pace = fc.record({
	headBlock: fc.oneof(fc.constant(null), fc.nat(5), fc.nat(2 ** 31)),
	atMs: fc.constant(NOW_MS),
	blockMs: fc.oneof(
		fc.integer({ min: 1, max: 20_000 }),
		fc.double({ min: 0.5, max: 3, noNaN: true }),
	),
});
const time = fc.integer({ min: FIRST_MS, max: NOW_MS + 3_600_000 });

test("later times never give lower blocks, and none lies beyond the chain's head, whatever its pace", () => {
	fc.assert(
		fc.property(pace, time, time, (given, a, b) => {
			const early = estimateBlock(given, Math.min(a, b));
			const late = estimateBlock(given, Math.max(a, b));
			expect(early).toBeLessThanOrEqual(late);
			expect(Number.isInteger(early) && late <= (given.headBlock ?? -1)).toBe(true);
			// A position holds 34 bits of it.
			expect(early).toBeGreaterThanOrEqual(-(2 ** 33));
		}),
		{ numRuns: 2_000 },
	);
});

test("at a steady pace the block is the one that was", () => {
	const given = { headBlock: 20_000_000, atMs: NOW_MS, blockMs: 12_000 };
	for (const ago of [0, 1, 1_000, 9_000_000]) {
		expect(estimateBlock(given, NOW_MS - ago * 12_000)).toBe(20_000_000 - ago);
	}
});

test("without a head, or before the chain's pace begins, each second has a block below all others", () => {
	for (const headBlock of [null, 0, 5]) {
		const given = { headBlock, atMs: NOW_MS, blockMs: 12_000 };
		const blocks = [3_602, 3_601, 3_600].map((ago) => estimateBlock(given, NOW_MS - ago * 1_000));
		const [first = 0] = blocks;
		expect(blocks).toEqual([first, first + 1, first + 2]);
		expect(first + 2).toBeLessThan(0);
	}
});

test("times older than the pace reaches still stand one after another", () => {
	const fast = { headBlock: 400_000_000, atMs: NOW_MS, blockMs: 250 };
	const years = [2017, 2019, 2021, 2023].map((year) => estimateBlock(fast, Date.UTC(year, 5)));
	expect(new Set(years).size).toBe(years.length);
	expect(years).toEqual([...years].sort((a, b) => a - b));
});
