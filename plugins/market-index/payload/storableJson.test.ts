import { expect, test } from "bun:test";
import fc from "fast-check";
import { storableJson } from "#plugins/market-index/payload/storableJson.ts";

test("ordinary words are kept as they are, without a copy", () => {
	const payload = { image_url: "https://x.test/ü.png", emoji: "😀", text: "\\ \t\n" };
	expect(storableJson(payload)).toBe(payload);
	const spelled = { text: "\\u0000 \\ud800", path: "C:\\\\u0000" };
	expect(storableJson(spelled)).toEqual(spelled);
	expect(storableJson(null)).toBeNull();
});

test("NUL and lone surrogates become the replacement character, in keys and values, at any depth", () => {
	const payload = { "a\u0000": ["\ud83d", { b: "\udc00x\ud83d\ude00\\\u0000" }] };
	expect(storableJson(payload)).toEqual({ "a\ufffd": ["\ufffd", { b: "\ufffdx😀\\\ufffd" }] });
});

test("whatever words a provider has, what is kept holds nothing that jsonb refuses", () => {
	const word = fc.oneof(
		fc.string({ unit: "binary" }),
		fc
			.array(fc.constantFrom("\u0000", "\ud800", "\udfff", "\\", '"', "u0000", "😀"))
			.map((parts) => parts.join("")),
	);
	const payloads = fc.dictionary(word, fc.oneof(word, fc.array(word), fc.dictionary(word, word)));
	fc.assert(
		fc.property(payloads, (payload) => {
			const kept = JSON.stringify(storableJson(payload));
			const words = JSON.stringify(JSON.parse(kept), (key, value) => {
				for (const text of [key, value]) {
					if (typeof text !== "string") continue;
					expect(text.isWellFormed() && !text.includes("\u0000")).toBe(true);
				}
				return value;
			});
			expect(words).toBe(kept);
		}),
	);
});

test("beyond 256 KiB or 64 levels a payload is left out", () => {
	const nested = (levels: number): Record<string, unknown> =>
		levels === 1 ? {} : { in: nested(levels - 1) };
	expect(storableJson(nested(64))).not.toBeNull();
	expect(storableJson(nested(65))).toBeNull();
	const circle: Record<string, unknown> = {};
	circle["a"] = [circle, circle];
	expect(storableJson(circle)).toBeNull();
	expect(storableJson({ text: "x".repeat(262_000) })).not.toBeNull();
	expect(storableJson({ text: "x".repeat(262_144) })).toBeNull();
});
