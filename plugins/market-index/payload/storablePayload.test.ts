import { expect, test } from "bun:test";
import { storablePayload } from "#plugins/market-index/payload/storablePayload.ts";

test("what is stored is clean and fits jsonb; ordinary words are not copied", () => {
	const payload = { image_url: "https://x.test/ü.png", name: "Cat 😀" };
	expect(storablePayload(payload)).toBe(payload);
	expect(storablePayload(null)).toBeNull();
	expect(storablePayload({ "a\u0000": "\ud800", image_url: "javascript:x", b: "\u202e" })).toEqual({
		"a\ufffd": "\ufffd",
		image_url: null,
		b: "",
	});
});

test("what is too large or too deep is left out", () => {
	const circle: Record<string, unknown> = {};
	circle["a"] = [circle];
	expect(storablePayload(circle)).toBeNull();
	expect(storablePayload({ text: "x".repeat(262_144) })).toBeNull();
});
