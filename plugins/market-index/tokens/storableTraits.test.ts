import { expect, test } from "bun:test";
import fc from "fast-check";
import { TOKEN_TRAITS_MAX, TRAIT_TEXT_MAX } from "#plugins/market-index/tokens/limits.ts";
import { storableTraits } from "#plugins/market-index/tokens/storableTraits.ts";

test("a pair that a token tells twice is kept once, so that counting rows counts tokens", () => {
	const hat = { type: "Hat", value: "Red" };
	expect(
		storableTraits([hat, { type: "Hat", value: " Red " }, { type: "Hat", value: "Blue" }]),
	).toEqual([hat, { type: "Hat", value: "Blue" }]);
});

test("an empty value says that there is none, and an empty name says nothing", () => {
	expect(
		storableTraits([
			{ type: "Hat", value: "" },
			{ type: "\u0000", value: "x" },
			{ type: "Level", value: "5", displayType: "number" },
		]),
	).toEqual([
		{ type: "Hat", value: "" },
		{ type: "Level", value: "5", displayType: "number" },
	]);
});

test("whatever is told is stored within bounds, and again is stored as it is", () => {
	const trait = fc.record({
		type: fc.string({ unit: "binary", maxLength: 300 }),
		value: fc.string({ unit: "binary", maxLength: 300 }),
	});
	fc.assert(
		fc.property(fc.array(trait, { maxLength: 150 }), (told) => {
			const kept = storableTraits(told);
			expect(kept.length).toBeLessThanOrEqual(TOKEN_TRAITS_MAX);
			for (const { type, value } of kept) {
				expect([...type].length).toBeLessThanOrEqual(TRAIT_TEXT_MAX);
				expect([...value].length).toBeLessThanOrEqual(TRAIT_TEXT_MAX);
				expect(JSON.stringify([type, value])).not.toContain("\\u0000");
			}
			expect(storableTraits(kept)).toEqual(kept);
		}),
	);
});
