import { expect, test } from "bun:test";
import fc from "fast-check";
import { usdText } from "#plugins/wallets/profile/profile.ts";

test("dollars are parsed and written exactly, to the microdollar", () => {
	expect(usdText.read("250.5")).toBe(250_500_000n);
	expect(usdText.of(250_500_000n)).toBe("250.5");
	expect(usdText.of(0n)).toBe("0");
	fc.assert(
		fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (micros) => {
			expect(usdText.read(usdText.of(micros))).toBe(micros);
		}),
	);
});

test("a seventh decimal is refused and not rounded away", () => {
	expect(() => usdText.read("0.0000001")).toThrow("amount_invalid");
});
