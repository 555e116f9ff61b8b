import { expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalJson } from "#core/audit/canonicalJson.ts";
import { AssertionFailed } from "#core/fault/assert.ts";

/** The same members in another order, at every depth. */
function reversed(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(reversed);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.reverse()
			.map(([name, member]) => [name, reversed(member)]),
	);
}

test("the order of members changes nothing, and what is read back is what was written", () => {
	fc.assert(
		fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
			const plain: unknown = JSON.parse(JSON.stringify(value).replaceAll("\\u0000", "\\ufffd"));
			const text = canonicalJson(plain);
			expect(canonicalJson(reversed(plain))).toBe(text);
			expect(JSON.parse(text)).toEqual(plain as object);
		}),
	);
});

test("the RFC's own example of sorted names", () => {
	const names = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, ö: 7 };
	expect([...canonicalJson(names).matchAll(/:(\d)/g)].map(([, value]) => value).join("")).toBe(
		"2467153",
	);
});

test("an amount is its digits, a time its text, and what is not said is left out", () => {
	const value = { amount: 2n ** 200n, at: new Date(0), gone: undefined, none: null };
	expect(canonicalJson(value)).toBe(
		`{"amount":"${2n ** 200n}","at":"1970-01-01T00:00:00.000Z","none":null}`,
	);
});

test("a text that no jsonb can hold becomes one that it can", () => {
	expect(canonicalJson({ "a\0": "\ud800\0" })).toBe('{"a\uFFFD":"\uFFFD\uFFFD"}');
});

test("what JSON cannot hold is refused, not left out", () => {
	const cycle: unknown[] = [];
	cycle.push(cycle);
	for (const value of [
		Number.NaN,
		new Map(),
		() => 1,
		Symbol("a"),
		cycle,
		[undefined],
		new Error(),
	]) {
		expect(() => canonicalJson({ value })).toThrow(AssertionFailed);
	}
});
