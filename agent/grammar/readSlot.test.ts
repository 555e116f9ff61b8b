import { expect, test } from "bun:test";
import { readLooseWindow, readSlot } from "#agent/grammar/readSlot.ts";
import { splitWords } from "#agent/grammar/splitWords.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Slot } from "#core/plugin/Tool.ts";

const rules = {
	chains: createChainRegistry(builtinChains),
	isReserved: (low: string) => low === "sell",
};
const LOW = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed";
const MIXED = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

function words(text: string) {
	const split = splitWords(text);
	if (split.kind !== "words") throw new Error(split.detail);
	return split;
}

test.each<[Slot["kind"], string, string | undefined]>([
	["amount", "0.5", "0.5"],
	["amount", "1000000", "1000000"],
	["amount", "0", undefined],
	["amount", "0.0", undefined],
	["amount", "01", undefined],
	["amount", ".5", undefined],
	["amount", "1e3", undefined],
	["amount", "0x1", undefined],
	["amount", "-1", undefined],
	["amount", "+1", undefined],
	["amount", `${"9".repeat(31)}`, undefined],
	["percent", "50%", "50"],
	["percent", "0%", undefined],
	["percent", "101%", undefined],
	["percent", "50", undefined],
	["asset", "$aapl", "AAPL"],
	["asset", "brk.b", "BRK.B"],
	["asset", "on", undefined],
	["asset", "$on", "ON"],
	["asset", "sell", undefined],
	["asset", "$sell", "SELL"],
	["asset", "5", undefined],
	["asset", MIXED, LOW],
	["token", "#12", "12"],
	["token", "012", undefined],
	["chain", "Ape_Chain", "apechain"],
	["chain", "8453", "base"],
	["chain", "mars", undefined],
	["address", MIXED, LOW],
	["address", LOW, LOW],
	["address", MIXED.replace("5aA", "5AA"), undefined],
	["address", LOW.toUpperCase(), undefined],
	["address", LOW.slice(0, -1), undefined],
	["address", "bob.eth", undefined],
	["window", "24h", "24h"],
	["window", "2h", undefined],
	["id", "0190B2C4-5d6e-7f80-9a1b-2c3d4e5f6071", "0190b2c4-5d6e-7f80-9a1b-2c3d4e5f6071"],
	["id", "12", undefined],
])("a slot of kind %s reads %s as %s", (kind, text, value) => {
	expect(readSlot({ kind } as Slot, words(text), 0, rules)).toBe(value);
});

test("a word of a list is read in any case, and never inside quotes", () => {
	const slot: Slot = { kind: "word", of: ["USDG"] };
	expect(readSlot(slot, words("usdg"), 0, rules)).toBe("USDG");
	expect(readSlot(slot, words('"usdg"'), 0, rules)).toBeUndefined();
});

test.each([
	["today", "24h", 1],
	["1 day", "24h", 2],
	["24 hours", "24h", 2],
	["week", "7d", 1],
	["30 days", "30d", 2],
	["1 hour", "1h", 2],
])("%s is a length of time in commands that only read", (text, value, used) => {
	expect(readLooseWindow(words(text), 0, 2)).toEqual({ value, used });
});

test("a length of time without any figures is refused", () => {
	for (const text of ["2 days", "3 hours", "year", '"day"']) {
		expect(readLooseWindow(words(text), 0, 2)).toBeUndefined();
	}
});
