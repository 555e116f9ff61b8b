import { expect, test } from "bun:test";
import fc from "fast-check";
import { cleanProse } from "#core/outside/cleanProse.ts";

const clean = (text: unknown, lengthMax = 200) => cleanProse(text, { lengthMax });

test("lines are kept, whatever ends them, with one empty line between two at most", () => {
	expect(clean("a\r\nb\n\n\n\nc")).toBe("a\nb\n\nc");
	expect(clean("a\u2028b\u2029c\rd")).toBe("a\nb\nc\nd");
	expect(clean("  two\twords \n\n ")).toBe("two words");
});

test("nothing reverses, hides or breaks, and markup is text", () => {
	const bidi = ["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068"];
	for (const one of [...bidi, "\u2069", "\u200e", "\u200f", "\u061c", "\u0000", "\ufeff"]) {
		expect(clean(`pay${one}me`)).toBe("pay me");
	}
	expect(clean("<b>x</b>")).toBe("<b>x</b>");
	for (const none of [null, undefined, 7, {}, "", " \n ", "\u200b\u0301"]) {
		expect(clean(none)).toBeNull();
	}
});

test("any text comes out bounded, storable and as it would come out again", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
			const kept = clean(text, 50);
			if (kept === null) return;
			expect([...kept].length).toBeLessThanOrEqual(50);
			expect(kept.isWellFormed()).toBe(true);
			expect(kept.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/u);
			expect(clean(kept, 50)).toBe(kept);
		}),
		{ numRuns: 300 },
	);
	expect(clean("x".repeat(3_000_000), 4_096)).toHaveLength(4_096);
});
