import { expect, test } from "bun:test";
import fc from "fast-check";
import { contentOf } from "#core/http/content/contentOf.ts";

const tagOf = (value: unknown) => contentOf(JSON.stringify(value)).etag;
const at = (second: number) => `2026-03-01T12:00:${String(second).padStart(2, "0")}.000Z`;

test("a tag is weak, and text and bytes have the same", async () => {
	const text = '{"name":"漢字 🐈"}';
	const content = contentOf(text);
	expect(content.etag).toMatch(/^W\/"[0-9a-z]+"$/);
	expect(contentOf(new TextEncoder().encode(text))).toMatchObject({
		etag: content.etag,
		digest: content.digest,
		size: content.size,
	});
	expect(await content.blob.text()).toBe(text);
	expect(contentOf("").size).toBe(0);
});

test("the time of an answer changes its digest and not its tag, at any depth", () => {
	const answer = (second: number) => ({
		observedAt: at(second),
		rows: [{ servedAt: at(second), floor: 1 }],
		freshness: { headBlock: 5, servedAt: at(second) },
	});
	expect(tagOf(answer(1))).toBe(tagOf(answer(2)));
	const digests = [1, 2].map((second) => contentOf(JSON.stringify(answer(second))).digest);
	expect(digests[0]).not.toBe(digests[1]);
});

test("everything else changes the tag, also strangers' text that looks like a time", () => {
	const seen = [
		{ servedAt: at(1), name: "a" },
		{ servedAt: at(1), name: "b" },
		{ servedAt: null, name: "a" },
		{ observedAt: at(1), name: "a" },
		{ indexedAt: at(1), name: "a" },
		{ name: `"servedAt":"${at(1)}"` },
		{ name: `"servedAt":"${at(2)}"` },
		{ name: `,"servedAt":"${at(1)}"` },
		{ name: `,"servedAt":"${at(2)}"` },
		{ '"servedAt': at(1) },
		{ '"servedAt': at(2) },
		{ servedAt: "x".repeat(41) },
		{ servedAt: "y".repeat(41) },
	].map(tagOf);
	expect(new Set(seen).size).toBe(seen.length);
});

// Guarantee: a client never keeps an old page because a new one has the same tag.
test("two answers have one tag only if they are equal without their moments", () => {
	const value = fc.jsonValue({ maxDepth: 3 });
	const answer = fc.record({
		data: value,
		servedAt: fc.integer({ min: 0, max: 59 }).map(at),
		"x\\": value,
	});
	fc.assert(
		fc.property(answer, answer, (one, other) => {
			const equal =
				JSON.stringify({ ...one, servedAt: 0 }) === JSON.stringify({ ...other, servedAt: 0 });
			const hasMoments = /servedAt|observedAt/.test(JSON.stringify([one.data, other.data]));
			if (!hasMoments) expect(tagOf(one) === tagOf(other)).toBe(equal);
		}),
	);
});
