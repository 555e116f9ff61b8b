import { expect, test } from "bun:test";
import { rejoinDelayMs } from "#plugins/provider/stream/topics/rejoinDelayMs.ts";

test("a topic rests longer after each attempt, up to five minutes", () => {
	const delays = Array.from({ length: 9 }, (_, attempt) => rejoinDelayMs(attempt, () => 0.5));
	const last = [300_000, 300_000, 300_000];
	expect(delays).toEqual([1_000, 2_000, 5_000, 10_000, 30_000, 60_000, ...last]);
	expect(rejoinDelayMs(0, () => 0)).toBe(750);
	expect(rejoinDelayMs(0, () => 1)).toBe(1_250);
});
