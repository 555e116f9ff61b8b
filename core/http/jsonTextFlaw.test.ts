import { expect, test } from "bun:test";
import fc from "fast-check";
import { jsonTextFlaw } from "#core/http/jsonTextFlaw.ts";

const flawed: [name: string, text: string][] = [
	["a NUL in a value", '{"a":"x\\u0000y"}'],
	["a NUL in a key", '{"\\u0000":1}'],
	["a lone high surrogate", '"\\ud83d"'],
	["a lone high surrogate before text", '"\\ud83dabcdef"'],
	["a lone low surrogate", '"\\ude00"'],
	["two high surrogates", '"\\ud83d\\ud83d"'],
	["a thirty-third level", "[".repeat(33)],
	["a million levels", "[".repeat(1_000_000)],
	["objects without end", '{"a":'.repeat(40)],
];
for (const [name, text] of flawed) {
	test(`${name} is a flaw`, () => {
		expect(jsonTextFlaw(text)).toBeString();
	});
}

const fine: [name: string, text: string][] = [
	["an empty text", ""],
	["thirty-two levels", "[".repeat(32) + "]".repeat(32)],
	["a surrogate pair", '"\\ud83d\\ude00"'],
	["a backslash before u0000", '"\\\\u0000"'],
	["an escaped quote before a bracket", '"\\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["'],
	["brackets in text", `"${"[".repeat(100)}"`],
	["many shallow arrays", `[${"[],".repeat(1_000)}[]]`],
	["a text without end, which the parser refuses", '"abc'],
	["a backslash at the end, which the parser refuses", '"\\'],
];
for (const [name, text] of fine) {
	test(`${name} is not its concern`, () => {
		expect(jsonTextFlaw(text)).toBeUndefined();
	});
}

test("JSON without NUL, lone surrogates and depth has no flaw, whatever it says", () => {
	fc.assert(
		fc.property(fc.json({ maxDepth: 5, stringUnit: "binary" }), (text) => {
			const bad = /\\u0000/.test(text.replaceAll("\\\\", ""));
			expect(jsonTextFlaw(text) === undefined).toBe(!bad);
		}),
	);
});
