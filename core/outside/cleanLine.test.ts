import { expect, test } from "bun:test";
import fc from "fast-check";
import { cleanLine } from "#core/outside/cleanLine.ts";

const cleanName = (text: unknown) => cleanLine(text, { lengthMax: 256 });

test("ordinary names are kept, in any script", () => {
	for (const name of ["Bored Cats", "É Ä ß", "猫の本", "קטים", "Cats ❤️", "n°1 – <b>!"]) {
		expect(cleanName(name)).toBe(name);
	}
	expect(cleanName("  two\n\tlines  ")).toBe("two lines");
	expect(cleanName("e\u0301")).toBe("\u00e9");
});

test("what is not a name is null", () => {
	const nothing = [
		"",
		"  ",
		"\u0000\u0000",
		"\ufffd",
		"\u200b\u200d",
		"\ud800",
		"\u3164",
		"\u2800",
	];
	for (const name of [null, 7, {}, [], ...nothing, "\ufe0f", "\u0301", "\u{e000}"]) {
		expect(cleanName(name)).toBeNull();
	}
});

test("text that runs backwards or hides is taken apart", () => {
	expect(cleanName("Cats\u202estac")).toBe("Cats stac");
	expect(cleanName("Ca\u200bts\u2066\u0000")).toBe("Ca ts");
});

test("a name is cut at 256 characters, and never in the middle of one", () => {
	expect(cleanName("x".repeat(2_000_000))).toBe("x".repeat(256));
	expect([...(cleanName("😀".repeat(300)) ?? "")]).toEqual(Array(256).fill("😀"));
	expect(cleanName(`${"x".repeat(255)} y`)).toBe("x".repeat(255));
});

test("whatever a contract says, a name can be stored, stands on one line, and stays as it is", () => {
	const texts = fc.oneof(
		fc.string({ unit: "binary", maxLength: 600 }),
		fc.string({ unit: "binary-ascii", maxLength: 60 }),
	);
	fc.assert(
		fc.property(texts, (text) => {
			const name = cleanName(text);
			if (name === null) return;
			expect(name.isWellFormed()).toBe(true);
			expect(name).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]|^\s|\s$|\s\s/u);
			expect([...name].length).toBeLessThanOrEqual(256);
			expect(cleanName(name)).toBe(name);
		}),
		{ numRuns: 500 },
	);
});
