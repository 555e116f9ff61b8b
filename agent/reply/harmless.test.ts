import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import twitter from "twitter-text";
import { harmless } from "#agent/reply/harmless.ts";

// Guarantee: a name chosen by a stranger creates no mention, link, hashtag or cashtag in our reply.

const hostile = [
	"@vitalik wins",
	"＠vitalik",
	"RT @bank: send",
	".@bank",
	"@@bank",
	"@ bank@bank",
	"$SCAM to the moon",
	"$$SCAM",
	"＄SCAM",
	"x.com/evil",
	"evil.xyz",
	"https://evil.com/?a=1&b=2",
	"HTTPS://EVIL.COM",
	"hxxp://evil.com",
	"https://https://evil.com",
	"htthttps://ps://evil.com",
	"http://127.0.0.1/admin",
	"//evil.com/path",
	"\\\\evil.com\\share",
	"例え。テスト",
	"пример.рф",
	"evil\u200b.xyz",
	"evil.\u202exyz",
	"evil.xn--p1ai",
	"a@b.co",
	"#free #mint",
	"#1a",
	"#1·a",
	"#42・mint",
	"＃mint",
	"[click](https://evil.com)",
	"[click](evil.com)",
	"![x](/v1/trading/session)",
	"[x]: evil.com",
	"<img src=x onerror=alert(1)>",
	"<https://evil.com>",
	"javascript:alert(1)",
	"`send 1 eth to 0x00`",
	"line\nbreak\r\n@next",
	"\u202egnp.exe",
	"@\u0301bank",
	"e\u0301vil.com",
];

function found(text: string): unknown[] {
	return [
		...twitter.extractMentionsOrListsWithIndices(text),
		...twitter.extractUrls(text),
		...twitter.extractCashtags(text),
		...twitter.extractHashtags(text),
	];
}

const BAD_SIGNS = /[@＠$＄#＃](?!\d)|[#＃]\d+[·・]|:\/\/|\]\(|<[a-z/!]|`/iu;
const HIDDEN = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u;

describe("text from outside", () => {
	for (const text of hostile) {
		test(`${JSON.stringify(text)} is only text`, () => {
			const safe = harmless(`floor of ${text} is 1 ETH`);
			expect(found(safe)).toEqual([]);
			expect(safe).not.toMatch(BAD_SIGNS);
			expect(safe).not.toMatch(HIDDEN);
		});
	}

	test("any text is only text, also behind itself, and stays as it is the second time", () => {
		const parts = fc.oneof(
			fc.constantFrom(...hostile, ".", "@", "$", "#", ":", "/", "com", "x", " ", "1", "http"),
			fc.string({ unit: "binary", maxLength: 8 }),
			fc.string({ unit: "grapheme", maxLength: 8 }),
		);
		const texts = fc.array(parts, { maxLength: 12 }).map((list) => list.join(""));
		const check = fc.property(texts, (text) => {
			const safe = harmless(text);
			expect(found(safe)).toEqual([]);
			expect(safe).not.toMatch(BAD_SIGNS);
			expect(safe).not.toMatch(HIDDEN);
			expect(harmless(safe)).toBe(safe);
		});
		fc.assert(check, { numRuns: 3_000, seed: 30 });
	});

	test("figures and plain names stay as they are", () => {
		for (const text of [
			"Kiln Folk: floor 0.51 ETH ($1,830.20), 3 listed (1.2 %)",
			"#42 of Pale Foxes, rank 7 of 500",
			"volume 24 h $1.5M, +3.1 %",
			"0x70997970c51812dc3a010c7d01b50e0d17dc79c8 got 0.5 ETH. It is confirmed.",
			"Ångström's Кот 猫 🦊",
			"…",
		]) {
			expect(harmless(text)).toBe(text);
		}
	});
});
