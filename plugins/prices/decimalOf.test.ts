import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseAmount } from "#core/money/parseAmount.ts";
import { decimalOf } from "#plugins/prices/decimalOf.ts";

test("a JSON number means the decimal that was written, not what a double holds of it", () => {
	expect(decimalOf(0.07)?.(18)).toBe(70_000_000_000_000_000n);
	expect(decimalOf(1e21)?.(0)).toBe(10n ** 21n);
	expect(decimalOf(1.5e-7)?.(8)).toBe(15n);
	expect(decimalOf(1.99)?.(0)).toBe(1n);
	fc.assert(
		fc.property(fc.nat({ max: 10 ** 9 }), fc.nat({ max: 999_999 }), (whole, fraction) => {
			const text = `${whole}.${String(fraction).padStart(6, "0")}`;
			const currency = { symbol: "X", decimals: 18 };
			expect(decimalOf(Number(text))?.(18)).toBe(parseAmount(text, currency).units);
		}),
	);
});

test("what is no amount is none", () => {
	for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
		expect(decimalOf(value)).toBeNull();
	}
});
