import { expect, test } from "bun:test";
import { bloomsTell } from "#plugins/chain-scanner/transfer/bloomsTell.ts";

const bloomWith = (byte: string) => `0x${byte.repeat(256)}` as const;

test("an empty bloom answers for any number of contracts, a full one for none", () => {
	expect(bloomsTell(bloomWith("00"), 5_000)).toBe(true);
	expect(bloomsTell(bloomWith("ff"), 1)).toBe(false);
	expect(bloomsTell(null, 1)).toBe(false);
});

test("the more contracts are watched the emptier a bloom has to be", () => {
	// A quarter of the bits: one address in 64 is a false alarm.
	expect(bloomsTell(bloomWith("11"), 3)).toBe(true);
	expect(bloomsTell(bloomWith("11"), 4)).toBe(false);
});
