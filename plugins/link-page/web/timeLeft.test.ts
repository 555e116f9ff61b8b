import { expect, test } from "bun:test";
import { timeLeft } from "#plugins/link-page/web/timeLeft.ts";

test("time is told in minutes and seconds, begun ones counted, and never below zero", () => {
	expect([600_000, 599_001, 61_000, 1, 0, -5].map(timeLeft)).toEqual([
		"10:00",
		"10:00",
		"1:01",
		"0:01",
		"0:00",
		"0:00",
	]);
});
