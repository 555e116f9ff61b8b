import { expect, test } from "bun:test";
import fc from "fast-check";
import { reconnectDelayMs } from "#plugins/provider/stream/socket/reconnectDelayMs.ts";

const middle = (attempt: number, connectsLastMinute = 0) =>
	reconnectDelayMs({ attempt, connectsLastMinute, random: () => 0.5 });

test("[MRG-13] each attempt waits longer, up to five seconds", () => {
	const delays = Array.from({ length: 12 }, (_, attempt) => middle(attempt));
	expect(delays).toEqual([10, 50, 100, 150, 200, 250, 500, 1_000, 2_000, 5_000, 5_000, 5_000]);
});

test("a storm waits the longest at once", () => {
	expect(middle(0, 29)).toBe(10);
	expect(middle(0, 30)).toBe(5_000);
});

test("chance moves a delay by a quarter at most", () => {
	fc.assert(
		fc.property(fc.nat(40), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, chance) => {
			const ms = reconnectDelayMs({ attempt, connectsLastMinute: 0, random: () => chance });
			expect(Math.abs(ms / middle(attempt) - 1)).toBeLessThanOrEqual(0.25);
		}),
	);
});
