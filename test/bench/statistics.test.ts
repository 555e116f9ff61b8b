import { describe, expect, test } from "bun:test";
import { median, pairedRatio, percentile, spread } from "#test/bench/statistics.ts";

describe("pairedRatio", () => {
	test("a machine that halves its speed between two pairs does not change their ratio", () => {
		const quick = { ours: 80, theirs: 100 };
		const slow = { ours: 40, theirs: 50 };
		const odd = { ours: 10, theirs: 50 };
		expect(pairedRatio([quick, slow, odd])).toEqual({ value: 0.8, ratios: [0.8, 0.8, 0.2] });
	});
});

describe("statistics", () => {
	test("the median does not depend on order, and for an even count is the mean of the middle two", () => {
		expect(median([5, 1, 3])).toBe(3);
		expect(median([4, 1, 3, 2])).toBe(2.5);
		expect(median([7])).toBe(7);
	});

	test("a percentile is a measured value", () => {
		const values = Array.from({ length: 100 }, (_, index) => 100 - index);
		expect(percentile(values, 50)).toBe(50);
		expect(percentile(values, 95)).toBe(95);
		expect(percentile(values, 100)).toBe(100);
		expect(percentile([3], 50)).toBe(3);
	});

	test("a spread has both ends", () => {
		expect(spread([2, 1, 3])).toBe("3 runs, 1 to 3");
		expect(spread([2])).toBe("one run");
	});
});
