import { expect, test } from "bun:test";
import fc from "fast-check";
import { TEST_SEED } from "#test/harness/testSeed.ts";
import { sharesOf } from "./abi.ts";

const total = fc.bigInt({ min: 0n, max: 10n ** 30n });
const split = fc
	.tuple(...[0, 1, 2].map(() => fc.integer({ min: 0, max: 10_000 })))
	.map((cuts) => cuts.sort((a, b) => a - b))
	.map(([a = 0, b = 0, c = 0]) => [a, b - a, c - b, 10_000 - c]);
const sum = (shares: readonly bigint[]) => shares.reduce((all, one) => all + one, 0n);

test("shares add up to the total, and are less than three units from exact", () => {
	fc.assert(
		fc.property(total, split, (raw, bps) => {
			const shares = sharesOf(raw, bps);
			expect(sum(shares)).toBe(raw);
			for (const [bucket, share] of shares.entries()) {
				const off = share * 10_000n - raw * BigInt(bps[bucket] ?? 0);
				expect(off > -30_000n && off < 30_000n).toBe(true);
			}
		}),
		{ seed: TEST_SEED },
	);
});

test("no share shrinks when the total grows by one unit", () => {
	fc.assert(
		fc.property(total, split, (raw, bps) => {
			const grown = sharesOf(raw + 1n, bps);
			expect(sharesOf(raw, bps).every((share, at) => (grown[at] ?? 0n) >= share)).toBe(true);
		}),
		{ seed: TEST_SEED, numRuns: 2_000 },
	);
});

test("ten thousand units are split exactly; the default split is 35, 15, 20 and 30 %", () => {
	fc.assert(
		fc.property(split, (bps) => {
			expect(sharesOf(10_000n, bps)).toEqual(bps.map(BigInt));
		}),
		{ seed: TEST_SEED },
	);
	expect(sharesOf(10n ** 18n, [3_500, 1_500, 2_000, 3_000])).toEqual([
		...[350_000_000_000_000_000n, 150_000_000_000_000_000n],
		...[200_000_000_000_000_000n, 300_000_000_000_000_000n],
	]);
});
