import { expect, test } from "bun:test";
import fc from "fast-check";
import { normaliseTraits } from "#plugins/market-index/metadata/tokenUri/normaliseTraits.ts";

const plain = (type: string, value: string, displayType: string | null = null) => {
	return { type, value, displayType };
};

test("the forms that are in use say the same", () => {
	const expected = [plain("Hat", "Red")];
	for (const form of [
		[{ trait_type: "Hat", value: "Red" }],
		[{ traitType: " Hat ", value: " Red\n" }],
		[{ name: "Hat", value: "Red" }],
		[{ key: "Hat", value: "Red" }],
		{ Hat: "Red" },
		{ Hat: { value: "Red", description: "of felt" } },
		{ Hat: { name: "hat", value: "Red" } },
	]) {
		expect(normaliseTraits(form)).toEqual(expected);
	}
});

test("numbers and truth values become text, and what they are shown as is kept", () => {
	expect(
		normaliseTraits([
			{ trait_type: "Level", value: 5, display_type: "number" },
			{ trait_type: "Ratio", value: 0.5 },
			{ trait_type: "Zero", value: 0 },
			{ trait_type: "Alive", value: false },
		]),
	).toEqual([
		plain("Level", "5", "number"),
		plain("Ratio", "0.5"),
		plain("Zero", "0"),
		plain("Alive", "false"),
	]);
});

test("what has no name or no plain value is left out, and only that", () => {
	const odd = [
		...[null, 7, "Red", [], [["Hat", "Red"]], {}, { value: "Red" }, { trait_type: "Hat" }],
		...[{}, [], null, "", " ", "\u0000", "\u200b"].map((value) => ({ trait_type: "Hat", value })),
		...[{}, null, "", "\u202e"].map((trait_type) => ({ trait_type, value: "Red" })),
		{ trait_type: "Hat", value: { value: "Red" } },
	];
	expect(normaliseTraits([...odd, { trait_type: "A\u0000B", value: "x\ud800y" }])).toEqual([
		plain("A B", "x y"),
	]);
	for (const none of [null, undefined, "text", 7, true]) expect(normaliseTraits(none)).toEqual([]);
});

test("512 attributes are read of a document, in either form", () => {
	const many = Array.from({ length: 10_000 }, (_, index) => [`t${index}`, "v"] as const);
	expect(normaliseTraits(Object.fromEntries(many))).toHaveLength(512);
	expect(normaliseTraits(many.map(([trait_type, value]) => ({ trait_type, value })))).toHaveLength(
		512,
	);
});

test("whatever JSON says, traits are short, readable text", () => {
	fc.assert(
		fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, name) => {
			const list = [{ trait_type: name, value }, { trait_type: "x", value: name }, value];
			for (const form of [value, list, { [name]: value, x: { value: name } }]) {
				for (const { type, value, displayType } of normaliseTraits(form)) {
					for (const text of [type, value, displayType ?? "x"]) {
						expect(text).not.toMatch(/[\p{Cc}\p{Cf}\ufffd]|^\s|\s$|^$/u);
						expect(text.isWellFormed() && text.length <= 512).toBe(true);
					}
				}
			}
		}),
		{ numRuns: 300 },
	);
});
