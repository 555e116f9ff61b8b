import { expect, test } from "bun:test";
import fc from "fast-check";
import { splitWords } from "#agent/grammar/splitWords.ts";
import { isOneLetterOff, withoutFillers } from "#agent/grammar/tolerance.ts";
import { editDistance } from "#core/editDistance.ts";

test("one wrong letter is what an edit distance of one is, in words of four letters and more", () => {
	const word = fc.string({ unit: fc.constantFrom(..."abc"), minLength: 2, maxLength: 7 });
	fc.assert(
		fc.property(word, word, (typed, meant) => {
			const isLong = typed.length >= 4 && meant.length >= 4;
			expect(isOneLetterOff(typed, meant)).toBe(isLong && editDistance(typed, meant) === 1);
		}),
		{ seed: 30, numRuns: 3_000 },
	);
});

test.each([
	["hey what is the floor of kiln folk please", "floor of kiln folk"],
	["show me the potatoz floor right now ser", "the potatoz floor"],
	["please", ""],
	['please "please"', '"please"'],
	["floor kiln folk today", "floor kiln folk today"],
])("what is said around a question goes: %s", (text, left) => {
	const words = splitWords(text);
	if (words.kind !== "words") throw new Error(words.detail);
	const range = { from: 0, to: words.low.length };
	const isHead = (low: string) => low === "floor";
	const { from, to } = withoutFillers(words, range, { isHead, isPatient: false });
	const end = words.starts[to] ?? text.length;
	expect(from === to ? "" : text.slice(words.starts[from], end).trim()).toBe(left);
});
