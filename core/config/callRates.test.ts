import { expect, test } from "bun:test";
import { callRates } from "#core/config/callRates.ts";

test("one number is everybody's, and names are read in any case", () => {
	expect(callRates.parse("100")).toEqual({ "*": 100 });
	expect(callRates.parse('{"Base":50,"8453":60,"RPC.example.com":25}')).toEqual({
		base: 50,
		"8453": 60,
		"rpc.example.com": 25,
	});
});

test("what is no rate is refused", () => {
	for (const text of ["", "fast", "0", "-1", "1e9", '{"base":"100"}', "[100]", "null"]) {
		expect(callRates.safeParse(text).success).toBe(false);
	}
});
