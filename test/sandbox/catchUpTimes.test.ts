import { expect, test } from "bun:test";
import { catchUpTimes } from "./catchUpTimes.ts";

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
