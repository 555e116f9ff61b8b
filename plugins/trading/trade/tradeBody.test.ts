import { describe, expect, test } from "bun:test";
import { NONE, WISHES } from "#plugins/trading/testing/tradeTexts.ts";
import { readTradeText } from "#plugins/trading/trade/tradeBody.ts";

describe("a text that is one whole command", () => {
	test.each(WISHES)("%s", (text, wish) => {
		expect(readTradeText(text)).toEqual({ kind: "wish", wish });
		expect(readTradeText(`  ${text.replaceAll(" ", "  ")} `)).toEqual({ kind: "wish", wish });
	});

	test.each(NONE)("a text that is no single command is not read: %j", (text) => {
		expect(readTradeText(text).kind).toBe("unread");
	});

	test("a sale without an amount is missing one", () => {
		for (const text of ["sell AAPL", "sell my aapl", "sell $AAPL to ETH"]) {
			expect(readTradeText(text)).toEqual({ kind: "amount_missing", asset: "AAPL" });
		}
	});

	test("a text of ten kilobytes is not read", () => {
		const said = readTradeText("buy 1 TSLA ".repeat(1_000));
		expect(said).toMatchObject({ kind: "unread", reason: expect.stringContaining("longer") });
	});
});
