import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { rankTokens } from "#plugins/market-index/rank/rankTokens.ts";
import {
	countedTraits,
	normaliseTrait,
	scoreToken,
	type TraitTally,
	traitCountName,
} from "#plugins/market-index/rank/scoreToken.ts";

describe("normaliseTrait", () => {
	/** `[c for c in map(chr, range(0x110000)) if not c.strip()]` of CPython 3.13. */
	const PYTHON_BLANKS = [
		...[9, 10, 11, 12, 13, 28, 29, 30, 31, 32, 133, 160, 5760],
		...[8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, 8202],
		...[8232, 8233, 8239, 8287, 12288],
	];

	test("exactly the blanks that Python's strip removes are removed, only at both ends", () => {
		const blanks = new Set(PYTHON_BLANKS);
		for (let code = 0; code < 0x1_00_00; code++) {
			const character = String.fromCharCode(code);
			const expected = blanks.has(code) ? "a" : `${character}a${character}`.toLowerCase();
			expect(normaliseTrait(`${character}A${character}`)).toBe(expected);
		}
		expect(normaliseTrait(" Deep\u0085 Red\u001f\u3000")).toBe("deep\u0085 red");
		expect(normaliseTrait("\ufeffRed")).toBe("\ufeffred");
		expect(normaliseTrait(" \u0085\t")).toBe("");
	});

	test("normalising twice changes nothing, and its time grows only with the number of blanks", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
				expect(normaliseTrait(normaliseTrait(text))).toBe(normaliseTrait(text));
			}),
		);
		expect(normaliseTrait(`${" ".repeat(1_000_000)}x${"\u0085 ".repeat(500_000)}`)).toBe("x");
	});

	test("values that differ only in such blanks are the same value; a U+FEFF makes a difference", () => {
		const ranksOf = (...values: string[]) =>
			rankTokens(values.map((value, id) => ({ id, traits: [{ type: "Fur", value }] }))).map(
				({ rank }) => rank,
			);
		expect(ranksOf("Gold", "gold\u0085", "\u001cGOLD", "Gold\u001f")).toEqual([1, 1, 1, 1]);
		expect(ranksOf("Gold", "Gold", "Gold", "Gold\ufeff")).toEqual([1, 2, 2, 2]);
	});
});

describe("scoreToken", () => {
	const HATS: TraitTally[] = [
		{ type: "Hat", value: "Red", tokens: 1 },
		{ type: "Hat", value: "Blue", tokens: 7 },
	];

	test("[IDX-08] a trait that was never counted has score zero, not infinity", () => {
		const counted = countedTraits(8, HATS);
		expect(scoreToken([{ type: "hat", value: "mauve" }], counted)).toBe(0);
		expect(scoreToken([{ type: "wings", value: "wide" }], counted)).toBe(0);
		expect(scoreToken([{ type: " HAT", value: "red " }], counted)).toBeCloseTo(
			3 / counted.entropy,
			12,
		);
	});

	test("[IDX-08] a score is never infinite, even with counts of zero or above the supply", () => {
		for (const counted of [countedTraits(0, HATS), countedTraits(2, HATS), countedTraits(5, [])]) {
			for (const traits of [
				[],
				[{ type: "hat", value: "red" }],
				[{ type: "hat", value: "blue" }],
			]) {
				expect(Number.isFinite(scoreToken(traits, counted))).toBe(true);
			}
		}
	});

	const word = fc.constantFrom("a", "b", "c", "none", "");
	const collection = fc.array(
		fc.uniqueArray(fc.record({ type: word, value: word }), {
			selector: ({ type }) => type,
			maxLength: 5,
		}),
		{ minLength: 1, maxLength: 20 },
	);

	test("[IDX-08] with the counts of its own collection a token has the score of its rank", () => {
		fc.assert(
			fc.property(collection, (tokens) => {
				const tallies = tokens.flatMap((traits) => [
					...traits.map((trait) => ({ ...trait, tokens: 1 })),
					{
						type: traitCountName,
						value: String(traits.filter(({ value }) => value !== "" && value !== "none").length),
						tokens: 1,
					},
				]);
				const counted = countedTraits(tokens.length, tallies);
				for (const { id, score } of rankTokens(tokens.map((traits, id) => ({ id, traits })))) {
					expect(scoreToken(tokens[id] ?? [], counted)).toBeCloseTo(score, 9);
				}
			}),
		);
	});
});
