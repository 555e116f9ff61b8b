import { expect, test } from "bun:test";
import fc from "fast-check";
import { searchTerms } from "#plugins/market-index/search/readSearch.ts";

test("a query becomes words of any script, without the operators of a tsquery", () => {
	expect(searchTerms("  Bored  Ape's & (YACHT) | !club:* ")).toEqual([
		"bored",
		"ape",
		"s",
		"yacht",
		"club",
	]);
	expect(searchTerms("漢字 猫")).toEqual(["漢字", "猫"]);
	expect(searchTerms("🐈 -- ''")).toEqual([]);
});

test("a query of any length becomes at most a few short words", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary", maxLength: 400 }), (query) => {
			const terms = searchTerms(query);
			expect(terms.length).toBeLessThanOrEqual(8);
			for (const term of terms) expect(term).toMatch(/^[\p{L}\p{N}\p{M}]{1,64}$/u);
		}),
	);
});
