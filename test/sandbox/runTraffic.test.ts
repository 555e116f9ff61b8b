import { describe, expect, test } from "bun:test";
import { blockTimes, catchUpTimes } from "./runTraffic.ts";

describe("blockTimes", () => {
	for (const blocks of [8, 40, 420, 2_000]) {
		test(`a history of ${blocks} blocks ends now and has a block in each hour`, () => {
			const times = blockTimes(1_795_000_000, blocks).map(({ timeS }) => timeS);
			expect(times).toHaveLength(blocks);
			expect(times.at(-1)).toBe(1_795_000_000);
			const gaps = times.slice(1).map((timeS, i) => timeS - (times[i] ?? 0));
			expect(Math.min(...gaps)).toBeGreaterThan(0);
			expect(Math.max(...gaps)).toBeLessThanOrEqual(900);
		});
	}

	test("the default history is four days", () => {
		const [first] = blockTimes(1_795_000_000, 420);
		expect(1_795_000_000 - (first?.timeS ?? 0)).toBeGreaterThan(4 * 86_400);
	});
});

describe("catchUpTimes", () => {
	test("after a short pause no blocks are added", () => {
		expect(catchUpTimes(1_000_000, 1_000_899)).toEqual([]);
	});

	test("after the clock went back no blocks are added", () => {
		expect(catchUpTimes(1_000_000, 900_000)).toEqual([]);
	});

	test("after a night a block for each quarter of an hour is added, between the head and now", () => {
		const times = catchUpTimes(1_000_000, 1_000_000 + 8 * 3_600).map(({ timeS }) => timeS);
		expect(times).toHaveLength(32);
		expect(times[0]).toBeGreaterThan(1_000_000);
		expect(times.at(-1)).toBeLessThan(1_000_000 + 8 * 3_600);
	});

	test("after a year at most 200 blocks are added", () => {
		expect(catchUpTimes(1_000_000, 1_000_000 + 365 * 86_400)).toHaveLength(200);
	});
});
