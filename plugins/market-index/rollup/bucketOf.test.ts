import { expect, test } from "bun:test";
import fc from "fast-check";
import { bucketOf, TIERS } from "#plugins/market-index/rollup/bucketOf.ts";

test("a bucket holds its time and begins at a whole multiple since 1970, also before 1970", () => {
	const time = fc.integer({ min: -8.64e15, max: 8.64e15 });
	fc.assert(
		fc.property(time, fc.constantFrom(...TIERS), (atMs, { ms }) => {
			const start = bucketOf(atMs, ms);
			expect(start <= atMs && atMs < start + ms).toBe(true);
			expect(Math.abs(start % ms)).toBe(0);
		}),
	);
});

test("each tier divides the next, so that coarse buckets are sums of fine ones", () => {
	for (const [index, { ms }] of TIERS.entries()) {
		expect(ms % (TIERS[index - 1]?.ms ?? 1)).toBe(0);
	}
});
