import { expect, test } from "bun:test";
import fc from "fast-check";
import { blockBetween } from "#plugins/market-index/merge/blockBetween.ts";

const at = (blockNumber: number, occurredAtMs: number) => ({ blockNumber, occurredAtMs });
const BASE = { estimate: 50, occurredAtMs: 5_000, before: null, after: null, blockMs: 1_000 };

test("an estimate that fits between its neighbours stands", () => {
	expect(blockBetween(BASE)).toBe(50);
	expect(blockBetween({ ...BASE, before: at(40, 1_000), after: at(60, 9_000) })).toBe(50);
});

test("one that does not is put where its time lies between them", () => {
	const cases = [
		[{ before: at(100, 1_000), after: at(200, 9_000) }, 150],
		[{ before: at(100, 1_000) }, 104],
		[{ after: at(20, 9_000) }, 16],
		[{ after: at(4, 9_000) }, 0],
		[{ after: at(2, 9_000) }, 5 - 2 ** 32],
		[{ after: at(-7, 9_000) }, 5 - 2 ** 32],
		[{ before: at(100, 5_000), after: at(101, 6_000) }, 100],
	] as const;
	for (const [neighbours, block] of cases) {
		expect(blockBetween({ ...BASE, ...neighbours })).toBe(block);
	}
});

test("no block is below that of what happened before, or above that of what happened after", () => {
	const block = fc.integer({ min: -1_000_000, max: 1_000_000 });
	const time = fc.integer({ min: 0, max: 1_000_000 });
	fc.assert(
		fc.property(block, block, block, time, time, time, (estimate, a, b, ...times) => {
			const [first = 0, middle = 0, last = 0] = times.sort((x, y) => x - y);
			fc.pre(first < middle && middle < last);
			const before = at(Math.min(a, b), first);
			const after = at(Math.max(a, b), last);
			const found = blockBetween({ ...BASE, estimate, occurredAtMs: middle, before, after });
			expect(Number.isInteger(found)).toBe(true);
			expect(found >= before.blockNumber && found <= after.blockNumber).toBe(true);
			const alone = blockBetween({ ...BASE, estimate, occurredAtMs: middle, after });
			expect(alone).toBeLessThanOrEqual(after.blockNumber);
		}),
		{ numRuns: 1_000 },
	);
});
