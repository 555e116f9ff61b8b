import { expect, test } from "bun:test";
import { readingOf, type Shown } from "#plugins/market-index/reveal/readingOf.ts";

const token = (given: Partial<Shown> = {}): Shown => ({
	uri: null,
	imageUrl: null,
	traits: null,
	...given,
});
const hat = (value: string) => [{ type: "Hat", value }];

test("tokens that share a URI or an image and have no traits are hidden", () => {
	expect(readingOf([token({ uri: "ipfs://a" }), token({ uri: "ipfs://a" })])).toBe("hidden");
	const sealed = { imageUrl: "https://a.test/sealed.png" };
	expect(
		readingOf([token({ uri: "x/1", ...sealed }), token({ uri: "x/2", ...sealed, traits: [] })]),
	).toBe("hidden");
});

test("traits that all tokens share say no more than none", () => {
	const sealed = { imageUrl: "https://a.test/sealed.png", traits: hat("sealed") };
	expect(readingOf([token(sealed), token(sealed)])).toBe("hidden");
});

test("tokens with different traits are shown, also while they share URI and image", () => {
	expect(readingOf([token({ traits: hat("red") }), token({ traits: hat("blue") })])).toBe("shown");
	const same = { uri: "ipfs://a", imageUrl: "https://a.test/a.png" };
	expect(readingOf([token({ ...same, traits: hat("red") }), token(same)])).toBe("shown");
});

test("one token that came out among hidden ones is a reveal", () => {
	const sealed = token({ imageUrl: "https://a.test/sealed.png" });
	expect(readingOf([sealed, sealed, token({ traits: hat("red") })])).toBe("shown");
});

test("art without traits, one token alone, and nothing at all say neither", () => {
	expect(readingOf([token({ imageUrl: "https://a.test/1" }), token({ imageUrl: "b" })])).toBe(
		"unclear",
	);
	expect(readingOf([token({ uri: "a", traits: hat("red") })])).toBe("unclear");
	expect(readingOf([])).toBe("unclear");
	expect(readingOf([token(), token()])).toBe("unclear");
});
