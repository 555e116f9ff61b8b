import { expect, test } from "bun:test";
import fc from "fast-check";
import { readQuery } from "#core/http/readQuery.ts";

test("a value is the text that was sent: commas, brackets and braces mean nothing", () => {
	for (const value of ["cats,dogs", "[1]", '{"a":1}', "a=b", "true", "", " ", "漢字", "a&b", "+"]) {
		const read = readQuery(`q=${encodeURIComponent(value)}`);
		expect({ ...read }).toEqual({ q: value });
	}
	expect({ ...readQuery("q=tidal+cats&a") }).toEqual({ q: "tidal cats", a: "" });
	expect(Object.keys(readQuery(""))).toEqual([]);
});

test("a parameter that is given several times has all values, under whatever spelling", () => {
	expect({ ...readQuery("a=1&b=2&a=1&%61=3") }).toEqual({ a: ["1", "1", "3"], b: "2" });
});

test("no name reaches a prototype", () => {
	const read = readQuery("__proto__=1&constructor=2&__proto__=3&toString=4");
	expect(Object.entries(read)).toEqual([
		["__proto__", ["1", "3"]],
		["constructor", "2"],
		["toString", "4"],
	]);
	expect(({} as Record<string, unknown>)["1"]).toBeUndefined();
});

test("what was written comes back, whatever its characters", () => {
	const text = fc.string({ unit: "grapheme", maxLength: 8 });
	fc.assert(
		fc.property(fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name }), (pairs) => {
			const query = readQuery(new URLSearchParams(pairs).toString());
			expect(Object.entries(query).sort()).toEqual([...pairs].sort());
		}),
	);
});
