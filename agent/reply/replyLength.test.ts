import { expect, test } from "bun:test";
import fc from "fast-check";
import twitter from "twitter-text";
import { harmless } from "#agent/reply/harmless.ts";
import { replyLength } from "#agent/reply/replyLength.ts";

test("texts count as the platform's own vectors say", () => {
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
