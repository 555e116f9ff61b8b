import { expect, test } from "bun:test";
import fc from "fast-check";
import { normaliseTrait } from "#plugins/market-index/rank/normaliseTrait.ts";
import { rankTokens } from "#plugins/market-index/rank/rankTokens.ts";

/** `[c for c in map(chr, range(0x110000)) if not c.strip()]` of CPython 3.13. */
const PYTHON_BLANKS = [
	...[9, 10, 11, 12, 13, 28, 29, 30, 31, 32, 133, 160, 5760],
	...[8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, 8202],
	...[8232, 8233, 8239, 8287, 12288],
];

test("exactly the edges that Python's strip takes off are taken off, and nothing within", () => {
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

test("what is normalised stays as it is, and any number of blanks costs no more than their number", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
			expect(normaliseTrait(normaliseTrait(text))).toBe(normaliseTrait(text));
		}),
	);
	expect(normaliseTrait(`${" ".repeat(1_000_000)}x${"\u0085 ".repeat(500_000)}`)).toBe("x");
});

test("values that differ in such an edge alone are one value, and U+FEFF makes two", () => {
	const ranksOf = (...values: string[]) =>
		rankTokens(values.map((value, id) => ({ id, traits: [{ type: "Fur", value }] }))).map(
			({ rank }) => rank,
		);
	expect(ranksOf("Gold", "gold\u0085", "\u001cGOLD", "Gold\u001f")).toEqual([1, 1, 1, 1]);
	expect(ranksOf("Gold", "Gold", "Gold", "Gold\ufeff")).toEqual([1, 2, 2, 2]);
});
