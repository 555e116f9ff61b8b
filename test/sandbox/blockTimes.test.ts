import { expect, test } from "bun:test";
import { blockTimes } from "./blockTimes.ts";

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
