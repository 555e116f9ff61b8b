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
	["a name that an object has twice", '{"amount":"1","amount":"2"}'],
	["one with the same value", '{"a":1,"a":1}'],
	["one far apart", '{"a":1,"b":{"c":[{"d":"}"}]},"e":"\\",\\"a\\":","a":2}'],
	["one that is spelt with an escape", '{"amount":1,"\\u0061mount":2}'],
	["one that is spelt with two escapes", '{"\\u0061":1,"\\u0061":2}'],
	["one with an escaped quote in it", '{"a\\"b":1,"a\\u0022b":2}'],
	["one in an object inside", '{"a":{"b":[0,{"c":1,"c":2}]}}'],
	["one behind an array", '{"a":[1,2],"a":3}'],
	["the empty name", '{"":1,"":2}'],
	["__proto__", '{"__proto__":1,"__proto__":2}'],
	["one between blanks", '{ "a" : 1 ,\n\t"a" : 2 }'],
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
	["the same name in two objects", '[{"a":1},{"a":1,"b":{"a":1}},{"a":{"a":{"a":1}}}]'],
	["a name that is also a value", '{"a":"a","b":["a","a"],"c":"b"}'],
	["names that differ in case", '{"a":1,"A":2}'],
	["a spelling that only looks the same", '{"\\\\u0061":1,"a":2}'],
	["names in a text", '"{\\"a\\":1,\\"a\\":2}"'],
	["texts beside each other in an array", '["a","a",{"a":1},"a"]'],
	["a name with an escape that is none", '{"\\x":1,"\\x"'.slice(0, 8)],
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

/** Generates JSON text whose objects may have a name twice. */
const name = fc.constantFrom("a", "b", "amount", "\\u0061", "\\u0061mount", '\\"', "\\u0022", "");
const spelt = fc.letrec<{ value: string; object: string }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4 },
		fc.constantFrom("1", "null", '"a"', '"{"', '"\\",\\"a\\":"'),
		tie("object"),
		fc.array(tie("value"), { maxLength: 3 }).map((values) => `[${values.join(",")}]`),
	),
	object: fc
		.array(fc.tuple(name, tie("value")), { maxLength: 3 })
		.map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join(" , ")}}`),
}));

/** Detects duplicate names with a parser that keeps all of them. */
function hasTwice(text: string): boolean {
	let isTwice = false;
	let sent = 0;
	// Each name gets its position as a prefix, so that all members are kept.
	const marked = text.replace(
		/"((?:[^"\\]|\\.)*)"( *:)/g,
		(_, key, colon) => `"${sent++} ${key}"${colon}`,
	);
	JSON.parse(marked, (_, value) => {
		if (value !== null && typeof value === "object" && !Array.isArray(value)) {
			const names = Object.keys(value).map((key) => key.slice(key.indexOf(" ") + 1));
			if (new Set(names).size < names.length) isTwice = true;
		}
		return value;
	});
	return isTwice;
}

test("a name that an object has twice is found wherever it stands and however it is spelt", () => {
	fc.assert(
		fc.property(spelt.value, (text) => {
			expect(jsonTextFlaw(text) !== undefined).toBe(hasTwice(text));
		}),
		{ numRuns: 2_000 },
	);
});

test("the problem names the member, and cuts a long name", () => {
	expect(jsonTextFlaw('{"amount":1,"amount":2}')).toBe('The body names "amount" more than once.');
	const long = "x".repeat(100_000);
	expect(jsonTextFlaw(`{"${long}":1,"${long}":2}`)?.length).toBeLessThan(120);
});
