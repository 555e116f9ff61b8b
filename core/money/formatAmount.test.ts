import { expect, test } from "bun:test";
import { formatAmount } from "#core/money/formatAmount.ts";

const eth = { symbol: "ETH", decimals: 18 };

test("an amount is written in full: no exponent, no rounding, no trailing zeros", () => {
	expect(formatAmount({ units: 0n, currency: eth })).toBe("0");
	expect(formatAmount({ units: 1n, currency: eth })).toBe("0.000000000000000001");
	expect(formatAmount({ units: 10n ** 18n, currency: eth })).toBe("1");
	expect(formatAmount({ units: 1_500_000_000_000_000_000n, currency: eth })).toBe("1.5");
	expect(formatAmount({ units: 10n ** 40n, currency: eth })).toBe("10000000000000000000000");
	expect(formatAmount({ units: 1_000n, currency: { symbol: "ITEM", decimals: 0 } })).toBe("1000");
});
