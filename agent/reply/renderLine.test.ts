import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import twitter from "twitter-text";
import { harmless, renderLine, replyLength } from "#agent/reply/renderLine.ts";

describe("harmless", () => {
	// Guarantee: a name chosen by a stranger creates no mention, link, hashtag or cashtag in our
	// reply.

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

		test("any outside text becomes harmless, also beside itself, and is unchanged the second time", () => {
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

		test("figures and plain names are unchanged", () => {
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
});

describe("renderLine", () => {
	const nowMs = 1_800_000_000_000;
	const terms = { lengthMax: 200, asOfMs: null, nowMs };

	test("[SOC-05] the age of the oldest figure is at the end, in whole units", () => {
		const ages: [number, string][] = [
			[-5_000, "0 s ago"],
			[0, "0 s ago"],
			[12_999, "12 s ago"],
			[119_000, "119 s ago"],
			[180_000, "3 min ago"],
			[7_199_000, "119 min ago"],
			[7_200_000, "2 h ago"],
			[400_000_000, "4 d ago"],
		];
		for (const [ageMs, age] of ages) {
			const line = renderLine("Kiln Folk: 0.5 ETH", { ...terms, asOfMs: nowMs - ageMs });
			expect(line).toBe(`Kiln Folk: 0.5 ETH · ${age}`);
		}
		expect(renderLine("done", terms)).toBe("done");
	});

	test("a line that is too long is cut between words and keeps its age", () => {
		const line = renderLine(`${"word ".repeat(60)}123456`, { ...terms, asOfMs: nowMs });
		expect(line).toEndWith("word… · 0 s ago");
		expect(replyLength(line).weighted).toBeLessThanOrEqual(200);
		// A figure is never cut into another figure.
		expect(renderLine(`${"a ".repeat(97)}123456789`, terms)).toEndWith("a a…");
		const exact = "x".repeat(200);
		expect(renderLine(exact, terms)).toBe(exact);
		expect(renderLine(`${exact}y`, terms)).toBe(`${"x".repeat(198)}…`);
	});

	test("no line exceeds its limit, in code points and as the platform counts", () => {
		const text = fc.oneof(
			fc.string({ unit: "binary", maxLength: 500 }),
			fc.string({ unit: "grapheme", maxLength: 400 }),
			fc
				.array(fc.constantFrom("👩‍👩‍👧‍👦", "猫", "e\u0301", "a ", "evil.com"), { maxLength: 150 })
				.map((all) => all.join("")),
		);
		const ages = fc.option(fc.integer({ min: 0, max: 1e11 }));
		const check = fc.property(
			text,
			fc.integer({ min: 40, max: 250 }),
			ages,
			(one, lengthMax, age) => {
				const line = renderLine(one, {
					lengthMax,
					nowMs,
					asOfMs: age === null ? null : nowMs - age,
				});
				expect([...line].length).toBeLessThanOrEqual(lengthMax);
				expect(twitter.parseTweet(line).weightedLength).toBeLessThanOrEqual(lengthMax);
				expect(line.isWellFormed()).toBe(true);
				if (age !== null) expect(line).toEndWith(" ago");
			},
		);
		fc.assert(check, { numRuns: 500, seed: 32 });
	});
});

describe("replyLength", () => {
	test("the length of a text equals that in the platform's own test vectors", () => {
		const vectors: [string, number][] = [
			["", 0],
			["Hello", 5],
			["café", 4],
			["cafe\u0301", 4],
			["日本語", 6],
			["Привет", 6],
			["“quoted” – dashed", 17],
			["한국어", 6],
			["·…", 3],
		];
		for (const [text, weighted] of vectors) {
			expect({ text, ...replyLength(text) }).toMatchObject({ text, weighted });
			expect(twitter.parseTweet(text).weightedLength).toBe(weighted);
		}
	});

	test("no harmless text is longer for the platform than it is counted here", () => {
		const texts = fc.oneof(
			fc.string({ unit: "binary", maxLength: 60 }),
			fc.string({ unit: "grapheme", maxLength: 60 }),
			fc.constantFrom("👩‍👩‍👧‍👦 family", "🇩🇪🇫🇷", "1️⃣ keycap", "👍🏽"),
		);
		const check = fc.property(texts, (text) => {
			const safe = harmless(text);
			const { codePoints, weighted } = replyLength(safe);
			expect(twitter.parseTweet(safe).weightedLength).toBeLessThanOrEqual(weighted);
			expect([...safe].length).toBeLessThanOrEqual(codePoints);
		});
		fc.assert(check, { numRuns: 3_000, seed: 31 });
	});
});
