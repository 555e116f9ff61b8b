import { expect, test } from "bun:test";
import { decimalString } from "#core/money/decimalString.ts";

test("a difference may be negative and keeps its sign", () => {
	expect(decimalString(-1n, 18)).toBe("-0.000000000000000001");
	expect(decimalString(-1_500n, 3)).toBe("-1.5");
	expect(decimalString(-1_000n, 0)).toBe("-1000");
});

test("zeros inside the number stay, zeros at its end go", () => {
	expect(decimalString(1_000_100n, 6)).toBe("1.0001");
	expect(decimalString(100n, 2)).toBe("1");
	expect(decimalString(0n, 18)).toBe("0");
});

test("impossible decimals are our own mistake", () => {
	expect(() => decimalString(1n, -1)).toThrow("decimals");
	expect(() => decimalString(1n, 0.5)).toThrow("decimals");
});
