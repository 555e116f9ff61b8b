import { expect, test } from "bun:test";
import fc from "fast-check";
import { countedTraits, type TraitTally } from "#plugins/market-index/rank/countedTraits.ts";
import { rankTokens } from "#plugins/market-index/rank/rankTokens.ts";
import { scoreToken } from "#plugins/market-index/rank/scoreToken.ts";
import { traitCountName } from "#plugins/market-index/rank/traitCountName.ts";

const HATS: TraitTally[] = [
	{ type: "Hat", value: "Red", tokens: 1 },
	{ type: "Hat", value: "Blue", tokens: 7 },
];

test("[IDX-08] a trait that was never counted scores zero, and not infinity", () => {
	const counted = countedTraits(8, HATS);
	expect(scoreToken([{ type: "hat", value: "mauve" }], counted)).toBe(0);
	expect(scoreToken([{ type: "wings", value: "wide" }], counted)).toBe(0);
	expect(scoreToken([{ type: " HAT", value: "red " }], counted)).toBeCloseTo(
		3 / counted.entropy,
		12,
	);
});

test("[IDX-08] counts of nothing, and larger than the supply, make no infinity", () => {
	for (const counted of [countedTraits(0, HATS), countedTraits(2, HATS), countedTraits(5, [])]) {
		for (const traits of [[], [{ type: "hat", value: "red" }], [{ type: "hat", value: "blue" }]]) {
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

test("[IDX-08] against the counts of its own collection a token has the score it is ranked by", () => {
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
