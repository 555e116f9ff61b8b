import { expect, test } from "bun:test";
import fc from "fast-check";
import { usdMicros } from "#plugins/wallets/spend/usdMicros.ts";

const rate = (answer: bigint, decimals = 8, currencyDecimals = 18) => {
	return { answer, decimals, currencyDecimals, updatedAtMs: 0 };
};

test("an amount is never counted for less than it is worth, and for less than a micro too much", () => {
	fc.assert(
		fc.property(
			fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
			fc.bigInt({ min: 1n, max: 2n ** 128n }),
			fc.integer({ min: 0, max: 36 }),
			fc.integer({ min: 0, max: 77 }),
			(raw, answer, decimals, currencyDecimals) => {
				const micros = usdMicros(raw, rate(answer, decimals, currencyDecimals)) ?? -1n;
				const unit = 10n ** BigInt(decimals + currencyDecimals);
				const exact = raw * answer * 1_000_000n;
				expect(micros * unit >= exact).toBe(true);
				expect((micros - 1n) * unit < exact || micros === 0n).toBe(true);
			},
		),
	);
});

test("one wei is a micro, nothing is nothing, an ether is what it is", () => {
	expect(usdMicros(1n, rate(2_000n * 10n ** 8n))).toBe(1n);
	expect(usdMicros(0n, rate(2_000n * 10n ** 8n))).toBe(0n);
	expect(usdMicros(10n ** 18n, rate(2_000n * 10n ** 8n))).toBe(2_000_000_000n);
	expect(usdMicros(1_500_000n, rate(10n ** 8n, 8, 6))).toBe(1_500_000n);
});

test("without a price, or with one that is none, the worth is unknown and not zero", () => {
	expect(usdMicros(1n, null)).toBeNull();
	for (const answer of [0n, -1n]) expect(usdMicros(1n, rate(answer))).toBeNull();
});
