import { expect, test } from "bun:test";
import { IMAGE_LENGTH_MAX } from "#plugins/market-index/metadata/limits.ts";
import { storableDocument } from "#plugins/market-index/tokens/storableDocument.ts";

const told = (given: Partial<Parameters<typeof storableDocument>[0]>) =>
	storableDocument({
		name: null,
		description: null,
		imageUrl: null,
		animationUrl: null,
		traits: null,
		...given,
	});

test("what nobody told stays unknown, and no traits are not unknown traits", () => {
	expect(told({})).toEqual({
		name: null,
		description: null,
		imageUrl: null,
		animationUrl: null,
		traits: null,
	});
	expect(told({ traits: [] }).traits).toEqual([]);
});

test("media stand under schemes that only show something", () => {
	for (const imageUrl of [
		"https://x.test/a.png",
		"http://x.test/a.png",
		"ipfs://cat",
		"AR://cat",
		"data:image/svg+xml;utf8,<svg/>",
	]) {
		expect(told({ imageUrl }).imageUrl).toBe(imageUrl);
	}
	for (const imageUrl of [
		"javascript:alert(1)",
		"data:text/html,<script>",
		" https://x.test",
		"//x.test/a.png",
		"https://x.test/\u0000",
		`https://x.test/${"a".repeat(IMAGE_LENGTH_MAX)}`,
		"",
	]) {
		expect(told({ imageUrl, animationUrl: imageUrl })).toMatchObject({
			imageUrl: null,
			animationUrl: null,
		});
	}
});

test("a description is text that the database takes, and blank is none", () => {
	expect(told({ description: " \n " }).description).toBeNull();
	expect(told({ description: "a\u0000\ud800b".repeat(4_000) }).description).toHaveLength(4_096);
});
