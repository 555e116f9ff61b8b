import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { auditJson } from "#core/audit/auditJson.ts";
import { renderEntry } from "#core/audit/renderEntry.ts";
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
			const text = auditJson(plain);
			expect(auditJson(reversed(plain))).toBe(text);
			expect(JSON.parse(text)).toEqual(plain as object);
		}),
	);
});

test("the RFC's own example of sorted names", () => {
	const names = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, ö: 7 };
	expect([...auditJson(names).matchAll(/:(\d)/g)].map(([, value]) => value).join("")).toBe(
		"2467153",
	);
});

test("an amount is its digits, a time its text, and what is not said is left out", () => {
	const value = { amount: 2n ** 200n, at: new Date(0), gone: undefined, none: null };
	expect(auditJson(value)).toBe(
		`{"amount":"${2n ** 200n}","at":"1970-01-01T00:00:00.000Z","none":null}`,
	);
});

test("a text that no jsonb can hold becomes one that it can", () => {
	expect(auditJson({ "a\0": "\ud800\0" })).toBe('{"a\uFFFD":"\uFFFD\uFFFD"}');
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
		expect(() => auditJson({ value })).toThrow(AssertionFailed);
	}
});

test("stored entries keep their bytes and their hash", () => {
	const detail = {
		...{ profileId: "p", nonce: 7, filledNonces: [5, 6], before: "sent", amount: 2n ** 100n },
		...{ at: new Date(0), gone: undefined, 10: "b", 9: "a", "a\0\ud800": "\udc00" },
	};
	const action = "trading.intent.cancellation_sent";
	const entry = { actor: "operator:ops", action, subject: "intent:1", detail };
	const text = renderEntry(entry, 1_700_000_000_123);
	expect(text).toBe(
		'{"action":"trading.intent.cancellation_sent","actor":"operator:ops",' +
			'"at":"2023-11-14T22:13:20.123Z","detail":{"10":"b","9":"a","a\uFFFD\uFFFD":"\uFFFD",' +
			'"amount":"1267650600228229401496703205376","at":"1970-01-01T00:00:00.000Z",' +
			'"before":"sent","filledNonces":[5,6],"nonce":7,"profileId":"p"},"subject":"intent:1"}',
	);
	expect(createHash("sha256").update(text).digest("hex")).toBe(
		"c54c985a61b8882a99cf7be2a01fc232a2df2139ee3856b6407ba2675f9bb1d2",
	);
});
