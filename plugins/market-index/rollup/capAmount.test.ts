import { expect, test } from "bun:test";
import fc from "fast-check";
import { AMOUNT_MAX, capAmount } from "#plugins/market-index/rollup/capAmount.ts";

test("sums up to 78 digits are exact, and beyond them stand still", () => {
	for (const sum of [0n, 8n * (2n ** 256n - 1n), AMOUNT_MAX]) expect(capAmount(sum)).toBe(sum);
	expect(capAmount(AMOUNT_MAX + 1n)).toBe(AMOUNT_MAX);
	expect(AMOUNT_MAX.toString()).toBe("9".repeat(78));
});

test("held at each step or at the end, in any order, a sum is the same", () => {
	const amounts = fc.array(fc.oneof(fc.bigInt(0n, 9n), fc.bigInt(0n, AMOUNT_MAX)));
	fc.assert(
		fc.property(amounts, (parts) => {
			const stepwise = parts.reduce((sum, part) => capAmount(sum + part), 0n);
			expect(stepwise).toBe(capAmount(parts.reduceRight((sum, part) => sum + part, 0n)));
		}),
	);
});
