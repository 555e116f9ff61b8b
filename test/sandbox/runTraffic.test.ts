import { describe, expect, test } from "bun:test";
import { blockTimes, catchUpTimes } from "./runTraffic.ts";

describe("blockTimes", () => {
	for (const blocks of [8, 40, 420, 2_000]) {
		test(`history of ${blocks} blocks rises to now and never leaves a clock hour without one`, () => {
			const times = blockTimes(1_795_000_000, blocks).map(({ timeS }) => timeS);
			expect(times).toHaveLength(blocks);
			expect(times.at(-1)).toBe(1_795_000_000);
			const gaps = times.slice(1).map((timeS, i) => timeS - (times[i] ?? 0));
			expect(Math.min(...gaps)).toBeGreaterThan(0);
			expect(Math.max(...gaps)).toBeLessThanOrEqual(900);
		});
	}

	test("the usual history is four days", () => {
		const [first] = blockTimes(1_795_000_000, 420);
		expect(1_795_000_000 - (first?.timeS ?? 0)).toBeGreaterThan(4 * 86_400);
	});
});

describe("catchUpTimes", () => {
	test("a short pause is not caught up", () => {
		expect(catchUpTimes(1_000_000, 1_000_899)).toEqual([]);
	});

	test("a clock that went back is not caught up", () => {
		expect(catchUpTimes(1_000_000, 900_000)).toEqual([]);
	});

	test("a night is caught up by a block for each quarter of an hour, between the head and now", () => {
		const times = catchUpTimes(1_000_000, 1_000_000 + 8 * 3_600).map(({ timeS }) => timeS);
		expect(times).toHaveLength(32);
		expect(times[0]).toBeGreaterThan(1_000_000);
		expect(times.at(-1)).toBeLessThan(1_000_000 + 8 * 3_600);
	});

	test("a year is caught up by no more than 200 blocks", () => {
		expect(catchUpTimes(1_000_000, 1_000_000 + 365 * 86_400)).toHaveLength(200);
	});
});
