import { expect, test } from "bun:test";
import { readNumber } from "#core/config/readNumber.ts";

test("plain decimals only", () => {
	expect(readNumber("0")).toBe(0);
	expect(readNumber(" 42 ")).toBe(42);
	expect(readNumber("-1.25")).toBe(-1.25);
	for (const text of [
		"",
		" ",
		"0x10",
		"1e3",
		"1_000",
		"1,5",
		".5",
		"5.",
		"007",
		"+1",
		"NaN",
		"１",
	]) {
		expect(readNumber(text)).toBeUndefined();
	}
});
