import { expect, test } from "bun:test";
import { isRevealed } from "#plugins/market-index/reveal/isRevealed.ts";

const of = (...tokens: [string, string][][]) =>
	tokens.map((traits) => ({ traits: traits.map(([type, value]) => ({ type, value })) }));

test("tokens that all say the same are not revealed, in whatever order they say it", () => {
	expect(isRevealed([])).toBe(false);
	expect(isRevealed(of([["a", "1"]]))).toBe(false);
	expect(isRevealed(of([], []))).toBe(false);
	expect(
		isRevealed(
			of(
				[
					["a", "1"],
					["b", "2"],
				],
				[
					["b", "2"],
					["a", "1"],
				],
			),
		),
	).toBe(false);
});

test("one that differs reveals them", () => {
	expect(isRevealed(of([["a", "1"]], [["a", "1"]], [["a", "2"]]))).toBe(true);
	expect(isRevealed(of([["a", "1"]], []))).toBe(true);
	expect(isRevealed(of([["ab", "c"]], [["a", "bc"]]))).toBe(true);
});
