import { expect, test } from "bun:test";
import fc from "fast-check";
import { normaliseText } from "#agent/grammar/normaliseText.ts";

function read(text: string): string {
	const plain = normaliseText(text);
	return plain.kind === "text" ? plain.text : `${plain.code} ${plain.position}`;
}

test.each([
	["plain text", "plain text"],
	["“curly” ‘quotes’ – dashes…", "\"curly\" 'quotes' - dashes..."],
	["send 0…5 eth", "send 0...5 eth"],
	["a\u00a0b\u3000c\td", "a b c d"],
	["poke\u0301mon", "pok\u00e9mon"],
	["ｆｌｏｏｒ", "floor"],
	["\n floor kiln \r\n", "  floor kiln   "],
	["gm🔥", "gm 🔥 "],
	["gm👨‍👩‍👧☺️", "gm 👨‍👩‍👧  ☺️ "],
	['"キーン"', '"キーン"'],
	['"東京 トウキョウ"', '"東京 トウキョウ"'],
	['"Привет"', '"Привет"'],
	['"हिन्दी"', '"हिन्दी"'],
	['"Bored™ ♥"', '"Bored™ ♥"'],
])("%j becomes %j", (text, plain) => {
	expect(read(text)).toBe(plain);
});

test.each([
	["a\u200bb", "text_invisible 1"],
	["a\u202eb", "text_invisible 1"],
	["a\u0000b", "text_invisible 1"],
	["a\ufe0fb", "text_invisible 0"],
	["a\u3164b", "text_invisible 1"],
	["a\ud800b", "text_invisible 1"],
	["🏴\u{e0062}\u{e0061}\u{e0064}\u{e007f}", "text_invisible 2"],
	["1️⃣", "text_invisible 0"],
	["٣", "text_foreign_digits 0"],
	["0．５", "text_confusable 1"],
	["½", "text_foreign_digits 0"],
	["Ⅷ", "text_foreign_digits 0"],
	['"𝟓"', "text_foreign_digits 1"],
	['"𝓴iln"', "text_confusable 1"],
	["ı", "text_confusable 0"],
	["ɑzuki", "text_confusable 0"],
	["𐌰", "text_confusable 0"],
	['"ᎪᏃ"', "text_confusable 1"],
	["0·5", "text_confusable 1"],
	["a\u0336b", "text_confusable 0"],
	["kіln", "text_mixed_scripts 1"],
	['"Κiln"', "text_mixed_scripts 1"],
	['"АВС"', "text_confusable 1"],
	["Привет", "text_mixed_scripts 0"],
	["a\nb", "text_two_commands 1"],
	["a\u2028b", "text_two_commands 1"],
	["a".repeat(2_001), "text_too_long 2000"],
])("%j is refused", (text, refusal) => {
	expect(read(text)).toBe(refusal);
});

test("a text of 2,000 characters is accepted, even if each has two code units", () => {
	expect(read("a".repeat(2_000))).toBe("a".repeat(2_000));
	expect(read("🔥".repeat(2_000))).toContain("🔥");
	expect(read("🔥".repeat(2_001))).toBe("text_too_long 2000");
});

test("a position in the normalised text leads to the position in the original", () => {
	const plain = normaliseText("e\u0301🔥 floor");
	if (plain.kind !== "text") throw new Error(plain.detail);
	expect(plain.positionOf(plain.text.indexOf("floor"))).toBe(5);
	expect(plain.positionOf(plain.text.length)).toBe(10);
});

test("a normalised text is unchanged when normalised again", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
			const once = normaliseText(text);
			if (once.kind !== "text" || /\p{RGI_Emoji}/v.test(once.text)) return;
			expect(read(once.text)).toBe(once.text);
		}),
		{ seed: 30, numRuns: 1_000 },
	);
});
