import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { bucketOf, TIERS, windowOf } from "#plugins/market-index/rollup/windows.ts";

describe("bucketOf", () => {
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
});

describe("windowOf", () => {
	test("a window begins at the whole minute and is cut at the first whole hour and midnight", () => {
		const now = Date.parse("2026-03-10T14:37:25.500Z");
		expect(windowOf(now, 86_400_000)).toEqual({
			start: new Date("2026-03-09T14:37:00.000Z"),
			hours: new Date("2026-03-09T15:00:00.000Z"),
			days: new Date("2026-03-10T00:00:00.000Z"),
		});
	});

	test("a window that begins at a boundary loses nothing to the finer tier", () => {
		const midnight = Date.parse("2026-03-10T00:00:00.000Z");
		const all = new Date("2026-03-09T00:00:00.000Z");
		expect(windowOf(midnight, 86_400_000)).toEqual({ start: all, hours: all, days: all });
	});

	test("a window covers its length, at most a minute more, and its cuts are whole", () => {
		const now = fc.integer({ min: 0, max: 4_102_444_800_000 });
		const length = fc.integer({ min: 1, max: 30 * 86_400_000 });
		fc.assert(
			fc.property(now, length, (nowMs, lengthMs) => {
				const { start, hours, days } = windowOf(nowMs, lengthMs);
				const early = nowMs - lengthMs - start.getTime();
				expect(early).toBeGreaterThanOrEqual(0);
				expect(early).toBeLessThan(60_000);
				expect(start.getTime() % 60_000 === 0 && hours.getTime() % 3_600_000 === 0).toBe(true);
				expect(days.getTime() % 86_400_000 === 0).toBe(true);
				expect(start <= hours && hours <= days).toBe(true);
				expect(hours.getTime() - start.getTime()).toBeLessThan(3_600_000);
				expect(days.getTime() - hours.getTime()).toBeLessThan(86_400_000);
			}),
		);
	});
});
