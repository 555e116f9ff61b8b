import { expect, test } from "bun:test";
import fc from "fast-check";
import { cleanTrait } from "#core/outside/cleanTrait.ts";

test("a trait has a name and a plain value; numbers and truth values are written out", () => {
	const hat = { type: "Hat", value: "Red", displayType: null };
	expect(cleanTrait({ type: " Hat\n", value: "Red\u202e" })).toEqual(hat);
	expect(cleanTrait({ type: "Level", value: 5, displayType: "number" })).toEqual({
		type: "Level",
		value: "5",
		displayType: "number",
	});
	expect(cleanTrait({ type: "Zero", value: 0 })?.value).toBe("0");
	expect(cleanTrait({ type: 7, value: false })).toMatchObject({ type: "7", value: "false" });
});

test("an object, a list and what shows nothing are no value and no name", () => {
	for (const none of [null, undefined, {}, [], ["Red"], "", " ", "\u200b", Number.NaN, Infinity]) {
		expect(cleanTrait({ type: "Hat", value: none })).toBeNull();
		expect(cleanTrait({ type: none, value: "Red" })).toBeNull();
		expect(cleanTrait({ type: "Hat", value: "Red", displayType: none })?.displayType).toBeNull();
	}
});

test("10,000 characters are 128, and any JSON is short, readable text or no trait", () => {
	const long = cleanTrait({ type: "x".repeat(10_000), value: "y".repeat(10_000) });
	expect([long?.type.length, long?.value.length]).toEqual([128, 128]);
	fc.assert(
		fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (type, value, displayType) => {
			const trait = cleanTrait({ type, value, displayType });
			for (const text of trait ? [trait.type, trait.value, trait.displayType ?? "x"] : []) {
				expect(text).not.toMatch(/[\p{Cc}\p{Cf}\ufffd]|^\s|\s$|^$/u);
				expect([...text].length).toBeLessThanOrEqual(128);
			}
		}),
	);
});
