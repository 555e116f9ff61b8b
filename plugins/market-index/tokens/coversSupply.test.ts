import { expect, test } from "bun:test";
import { coversSupply } from "#plugins/market-index/tokens/coversSupply.ts";

test("a few broken tokens do not keep the others from a rank, many do", () => {
	expect(coversSupply(95, "100")).toBe(true);
	expect(coversSupply(94, "100")).toBe(false);
	expect(coversSupply(50_000, (2n ** 255n).toString())).toBe(false);
});

test("of an unknown supply, and of none, what is there is all", () => {
	expect(coversSupply(1, null)).toBe(true);
	expect(coversSupply(1, "0")).toBe(true);
});
