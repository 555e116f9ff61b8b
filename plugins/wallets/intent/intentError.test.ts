import { expect, test } from "bun:test";
import {
	amountFigure,
	errorForLink,
	errorOf,
	errorOfCode,
	readError,
	usdFigure,
	usdWords,
} from "#plugins/wallets/intent/intentError.ts";

// Guarantee: whoever reads a code reads why in a sentence, with the figures that decided; and who
// only has a link reads nothing of its owner's limits.

const denial = {
	...{ code: "daily_limit", detail: "Too much.", action: "Wait." },
	...{ limit: usdFigure(100_000_000n), amount: usdFigure(120_500_001n) },
};
const stored = {
	...{ code: "daily_limit", message: "Too much.", action: "Wait." },
	...{ limit: { value: "100", unit: "USD" }, amount: { value: "120.500001", unit: "USD" } },
};

test("a denial is stored completely, and read back unchanged", () => {
	expect(errorOf(denial)).toEqual(stored);
	expect(readError("daily_limit", JSON.parse(JSON.stringify(errorOf(denial))))).toEqual(stored);
});

test("a code without a stored reason, or with another code's, has its own text", () => {
	expect(readError(null, stored)).toBeNull();
	for (const other of [null, undefined, 7, "daily_limit", {}, stored]) {
		expect(readError("cancelled", other)).toEqual(errorOfCode("cancelled"));
	}
	expect(errorOfCode("brand_new").message).toBe("It ended with the code brand_new.");
});

test("a link shows no figure of its owner's limits, and every other reason completely", () => {
	for (const code of ["daily_limit", "per_trade_limit", "wallet_notional_limit"]) {
		const told = errorForLink({ ...stored, code });
		expect(told).toEqual({ code, message: "It is more than its owner's limits allow." });
	}
	expect(errorForLink({ ...stored, code: "usd_rate_unavailable" })).toEqual({
		...{ code: "usd_rate_unavailable", message: "What it is worth in USD is not known now." },
	});
	// The step's own sentence may be about its owner's limits.
	const behind = "The step before it is rejected: It counts as $120.00 (daily_limit)";
	expect(
		errorForLink({ code: "previous_step_failed", message: behind, action: "Read it." }),
	).toEqual({
		code: "previous_step_failed",
		message: "What had to be done before it did not happen.",
	});
	const other = { ...stored, code: "token_unsafe" };
	expect(errorForLink(other)).toEqual(other);
	expect(errorForLink(null)).toBeNull();
});

test("figures are exact, and sentences never give less than the amount", () => {
	expect(amountFigure(1n, { symbol: "TSLA", decimals: 18 })).toEqual({
		...{ value: "0.000000000000000001", unit: "TSLA" },
	});
	expect([0n, 1n, 10_000n, 10_001n].map(usdWords)).toEqual(["$0.00", "$0.01", "$0.01", "$0.02"]);
});
