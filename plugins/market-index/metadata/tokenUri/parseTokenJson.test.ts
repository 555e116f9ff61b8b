import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseTokenJson } from "#plugins/market-index/metadata/tokenUri/parseTokenJson.ts";

const CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG";
const gateways = { ipfs: ["https://b.test"], arweave: "https://ar.test" };
const parse = (document: unknown) => parseTokenJson(JSON.stringify(document), gateways);
const nothing = {
	name: null,
	description: null,
	imageUrl: null,
	animationUrl: null,
	traits: null,
};

test("a token's document is read", () => {
	expect(
		parse({
			name: "Cat #1",
			description: " Two\nlines. ",
			image: `ipfs://${CID}/1.png`,
			animation_url: "https://a.test/1.mp4",
			attributes: [{ trait_type: "Hat", value: "Red" }],
		}),
	).toEqual({
		name: "Cat #1",
		description: "Two\nlines.",
		imageUrl: `https://b.test/ipfs/${CID}/1.png`,
		animationUrl: "https://a.test/1.mp4",
		traits: [{ type: "Hat", value: "Red", displayType: null }],
	});
});

test("other names for the same fields are understood", () => {
	const image = "https://a.test/1.png";
	for (const key of ["image", "image_url", "imageUrl"]) {
		expect(parse({ [key]: image })?.imageUrl).toBe(image);
	}
	expect(parse({ image: "", image_url: image })?.imageUrl).toBe(image);
	expect(parse({ image_data: "<svg/>" })?.imageUrl).toBe("data:image/svg+xml;base64,PHN2Zy8+");
	expect(parse({ title: 7 })?.name).toBe("7");
	for (const key of ["attributes", "traits", "properties"]) {
		expect(parse({ [key]: { Hat: "Red" } })?.traits).toHaveLength(1);
	}
	expect(parse({ attributes: [] })?.traits).toEqual([]);
});

test("one field that is nonsense costs only that field", () => {
	const nonsense = {
		name: {},
		description: [],
		image: { url: 1 },
		animation_url: 7,
		attributes: "x",
	};
	expect(parse(nonsense)).toEqual(nothing);
	expect(parse({ ...nonsense, name: "Kept" })).toEqual({ ...nothing, name: "Kept" });
	expect(parse({ name: "A\u0000\ud800B", description: "x\u0000y" })).toEqual({
		...nothing,
		name: "A B",
		description: "x y",
	});
	expect(parse({ description: "pay\u202eme\u2066\nnow" })?.description).toBe("pay me\nnow");
	expect(parse({ description: "x".repeat(9_999) })?.description).toHaveLength(4_096);
});

test("what is no document is nothing, however deep or long it is", () => {
	const deep = "[".repeat(400_000) + "]".repeat(400_000);
	const texts = ["", "{", "null", "7", '"text"', "[]", "<html>", deep, `{"name":${deep}`];
	for (const text of [...texts, `{"name":"${"x".repeat(1_000_000)}"}`]) {
		expect(parseTokenJson(text, gateways)).toBeNull();
	}
	expect(parseTokenJson('\ufeff{"name":"Cat"}', gateways)?.name).toBe("Cat");
	expect(parseTokenJson('{"__proto__":{"name":"Cat"}}', gateways)).toEqual(nothing);
});

test("whatever the JSON, reading it ends and PostgreSQL takes the result", () => {
	const keys = ["name", "description", "image", "image_data", "attributes", "properties"];
	const document = fc.dictionary(fc.constantFrom(...keys), fc.jsonValue());
	fc.assert(
		fc.property(fc.oneof(document, fc.jsonValue()), (value) => {
			const stored = JSON.stringify(parse(value));
			expect(stored).not.toMatch(/\\u0000|\\ud[89a-f]/i);
		}),
		{ numRuns: 300 },
	);
});

test("[SEC-05] a document that is all nesting or all members is none", () => {
	const members = Array.from({ length: 30_000 }, (_, index) => `"${index}a":0`).join(",");
	for (const bomb of ["[".repeat(999_999), `{"attributes":{${members}}}`, `{${members}}`]) {
		expect(parseTokenJson(bomb, gateways)).toBeNull();
	}
});
