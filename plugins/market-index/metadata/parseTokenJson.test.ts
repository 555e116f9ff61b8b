import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	isJsonBounded,
	normaliseTraits,
	parseTokenJson,
} from "#plugins/market-index/metadata/parseTokenJson.ts";

describe("isJsonBounded", () => {
	const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
	const list = (values: number) => JSON.stringify(Array(values).fill(0));

	test("[SEC-05] a text that is nested without end, or has too many values, is not parsed", () => {
		expect(isJsonBounded(nested(64))).toBe(true);
		expect(isJsonBounded(nested(65))).toBe(false);
		expect(isJsonBounded("[".repeat(1_000_000))).toBe(false);
		expect(isJsonBounded('{"a":'.repeat(65))).toBe(false);
		expect(isJsonBounded(list(20_001))).toBe(true);
		expect(isJsonBounded(list(20_002))).toBe(false);
	});

	test("brackets and commas inside strings are not counted", () => {
		const texts = ["[".repeat(100), ",".repeat(50_000), '\\"['.repeat(100), "\\", '"', '\\\\",['];
		for (const text of texts) expect(isJsonBounded(JSON.stringify([text, text]))).toBe(true);
		for (const open of ['"', '"[', '"\\', '["\\"']) expect(isJsonBounded(open)).toBe(true);
	});

	test("small and shallow JSON is parsed", () => {
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
				expect(isJsonBounded(JSON.stringify(value))).toBe(true);
			}),
		);
	});
});

describe("normaliseTraits", () => {
	const plain = (type: string, value: string, displayType: string | null = null) => {
		return { type, value, displayType };
	};

	test("the common forms of traits give the same result", () => {
		const expected = [plain("Hat", "Red")];
		for (const form of [
			[{ trait_type: "Hat", value: "Red" }],
			[{ traitType: " Hat ", value: " Red\n" }],
			[{ name: "Hat", value: "Red" }],
			[{ key: "Hat", value: "Red" }],
			{ Hat: "Red" },
			{ Hat: { value: "Red", description: "of felt" } },
			{ Hat: { name: "hat", value: "Red" } },
		]) {
			expect(normaliseTraits(form)).toEqual(expected);
		}
	});

	test("numbers and booleans become text, and their display type is kept", () => {
		expect(
			normaliseTraits([
				{ trait_type: "Level", value: 5, display_type: "number" },
				{ trait_type: "Ratio", value: 0.5 },
				{ trait_type: "Zero", value: 0 },
				{ trait_type: "Alive", value: false },
			]),
		).toEqual([
			plain("Level", "5", "number"),
			plain("Ratio", "0.5"),
			plain("Zero", "0"),
			plain("Alive", "false"),
		]);
	});

	test("only attributes without a name or a plain value are dropped", () => {
		const odd = [
			...[null, 7, "Red", [], [["Hat", "Red"]], {}, { value: "Red" }, { trait_type: "Hat" }],
			...[{}, [], null, "", " ", "\u0000", "\u200b"].map((value) => ({ trait_type: "Hat", value })),
			...[{}, null, "", "\u202e"].map((trait_type) => ({ trait_type, value: "Red" })),
			{ trait_type: "Hat", value: { value: "Red" } },
		];
		expect(normaliseTraits([...odd, { trait_type: "A\u0000B", value: "x\ud800y" }])).toEqual([
			plain("A B", "x y"),
		]);
		for (const none of [null, undefined, "text", 7, true])
			expect(normaliseTraits(none)).toEqual([]);
	});

	test("at most 512 attributes of a document are read, in either form", () => {
		const many = Array.from({ length: 10_000 }, (_, index) => [`t${index}`, "v"] as const);
		expect(normaliseTraits(Object.fromEntries(many))).toHaveLength(512);
		expect(
			normaliseTraits(many.map(([trait_type, value]) => ({ trait_type, value }))),
		).toHaveLength(512);
	});

	test("traits of any JSON are short, readable text", () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, name) => {
				const list = [{ trait_type: name, value }, { trait_type: "x", value: name }, value];
				for (const form of [value, list, { [name]: value, x: { value: name } }]) {
					for (const { type, value, displayType } of normaliseTraits(form)) {
						for (const text of [type, value, displayType ?? "x"]) {
							expect(text).not.toMatch(/[\p{Cc}\p{Cf}\ufffd]|^\s|\s$|^$/u);
							expect(text.isWellFormed() && text.length <= 512).toBe(true);
						}
					}
				}
			}),
			{ numRuns: 300 },
		);
	});
});

describe("parseTokenJson", () => {
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

	test("a token's document is parsed", () => {
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

	test("alternative names for the same fields are understood", () => {
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

	test("an invalid field of a token's document does not affect the others", () => {
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

	test("text that is no document gives null, however deep or long", () => {
		const deep = "[".repeat(400_000) + "]".repeat(400_000);
		const texts = ["", "{", "null", "7", '"text"', "[]", "<html>", deep, `{"name":${deep}`];
		for (const text of [...texts, `{"name":"${"x".repeat(1_000_000)}"}`]) {
			expect(parseTokenJson(text, gateways)).toBeNull();
		}
		expect(parseTokenJson('\ufeff{"name":"Cat"}', gateways)?.name).toBe("Cat");
		expect(parseTokenJson('{"__proto__":{"name":"Cat"}}', gateways)).toEqual(nothing);
	});

	test("parsing any token document ends, and PostgreSQL accepts the result", () => {
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

	test("[SEC-05] a document of nothing but nesting or members gives null", () => {
		const members = Array.from({ length: 30_000 }, (_, index) => `"${index}a":0`).join(",");
		for (const bomb of ["[".repeat(999_999), `{"attributes":{${members}}}`, `{${members}}`]) {
			expect(parseTokenJson(bomb, gateways)).toBeNull();
		}
	});
});
