import { expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { foreignCurrencies } from "#plugins/market-index/event/foreignCurrencies.ts";

test("each ERC-20 once; the native currency and an unknown one need no looking up", () => {
	const paid = (["0x1", null, ZERO_ADDRESS, "0x2", "0x1"] as const).map((currency) => ({
		currency,
	}));
	expect(foreignCurrencies(paid)).toEqual(["0x1", "0x2"]);
});
