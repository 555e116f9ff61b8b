import { expect, test } from "bun:test";
import fc from "fast-check";
import { mulDiv } from "#core/money/mulDiv.ts";

const numRuns = Bun.env.PROVE ? 100_000 : 2_000;
const units = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const divisors = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n });

test("the last unit goes where the caller said", () => {
	expect(mulDiv(10n, 1n, 3n, "down")).toBe(3n);
	expect(mulDiv(10n, 1n, 3n, "up")).toBe(4n);
	expect(mulDiv(9n, 1n, 3n, "down")).toBe(3n);
	expect(mulDiv(9n, 1n, 3n, "up")).toBe(3n);
	expect(mulDiv(0n, 5n, 3n, "up")).toBe(0n);
});

test("down never exceeds the true quotient, up never falls short, and both are within one", () => {
	fc.assert(
		fc.property(units, units, divisors, (a, b, divisor) => {
			const down = mulDiv(a, b, divisor, "down");
			const up = mulDiv(a, b, divisor, "up");
			expect(down * divisor <= a * b).toBe(true);
			expect(up * divisor >= a * b).toBe(true);
			expect(up - down).toBe((a * b) % divisor === 0n ? 0n : 1n);
		}),
		{ numRuns },
	);
});

test("negative money and division by nothing are our own mistakes", () => {
	expect(() => mulDiv(-1n, 1n, 1n, "down")).toThrow("negative");
	expect(() => mulDiv(1n, -1n, 1n, "down")).toThrow("negative");
	expect(() => mulDiv(1n, 1n, 0n, "down")).toThrow("divides");
	expect(() => mulDiv(1n, 1n, -1n, "down")).toThrow("divides");
});
