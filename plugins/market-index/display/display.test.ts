import { expect, test } from "bun:test";
import { displayCount } from "#plugins/market-index/display/displayCount.ts";
import { displayFloor } from "#plugins/market-index/display/displayFloor.ts";
import { displayNative } from "#plugins/market-index/display/displayNative.ts";
import { displayTime } from "#plugins/market-index/display/displayTime.ts";

test("an amount of wei is the nearest number of ETH, and unknown stays unknown", () => {
	expect(displayNative("1500000000000000000")).toBe(1.5);
	expect(displayNative("1")).toBe(1e-18);
	expect(displayNative("0")).toBe(0);
	expect(displayNative(null)).toBeNull();
});

test("a floor or a supply of 0 has not been counted: unknown, and never shown as 0", () => {
	expect(displayFloor("0")).toBeNull();
	expect(displayFloor(null)).toBeNull();
	expect(displayFloor("2000000000000000000")).toBe(2);
	expect(displayCount("0")).toBeNull();
	expect(displayCount("10000")).toBe(10_000);
});

test("times are ISO 8601 in UTC with milliseconds", () => {
	expect(displayTime(new Date(0))).toBe("1970-01-01T00:00:00.000Z");
	expect(displayTime(null)).toBeNull();
});
