import { expect, test } from "bun:test";
import { isOrderWord } from "#agent/grammar/orders.ts";
import { splitWords } from "#agent/grammar/splitWords.ts";
import { namePlaces } from "#agent/grammar/wordRoles.ts";

/** Returns the words of a text that form names. */
function named(text: string): string {
	const words = splitWords(text);
	if (words.kind === "refused") throw new Error(words.detail);
	return namePlaces(words, [...words.low.keys()])
		.map((at) => words.raw[at])
		.join(" ");
}

test.each([
	["hey what is kiln folk doing today pls", "kiln folk"],
	["lazy lions looks rough", "lazy lions"],
	["sewer pass", "sewer pass"],
	["forgotten runes", "forgotten runes"],
	["did kiln recover", "kiln"],
	["checking kiln instantly", "kiln"],
	["chimp gang", "chimp gang"],
	["someone check it", ""],
])("of %p the name is %p", (text, name) => {
	expect(named(text)).toBe(name);
});

test("orders, conditions and denials are no questions", () => {
	expect(["buy", "if", "don't", "my", "floor", "what"].filter(isOrderWord)).toEqual([
		"buy",
		"if",
		"don't",
		"my",
	]);
});
