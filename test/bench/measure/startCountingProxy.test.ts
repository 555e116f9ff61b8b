import { expect, test } from "bun:test";
import { takesPerSecond } from "#test/bench/measure/startCountingProxy.ts";

test("a second's worth of calls passes at once, then the rate applies, also to the rest of a large batch", () => {
	const clock = { ms: 0 };
	const takes = takesPerSecond(100, () => clock.ms);
	expect([takes(60), takes(40), takes(1)]).toEqual([true, true, false]);
	clock.ms = 500;
	expect([takes(50), takes(1)]).toEqual([true, false]);
	clock.ms = 1_500;
	// More than a second's worth: only from a full bucket, and it is paid for afterwards.
	expect([takes(250), takes(1)]).toEqual([true, false]);
	clock.ms = 3_000;
	expect(takes(1)).toBe(false);
	clock.ms = 3_100;
	expect(takes(1)).toBe(true);
});

test("every call passes if there is no limit", () => {
	const takes = takesPerSecond();
	expect([takes(1_000_000), takes(1_000_000)]).toEqual([true, true]);
});
