import { expect, test } from "bun:test";
import fc from "fast-check";
import { planStart } from "#plugins/chain-scanner/lane/planStart.ts";

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
