import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { hostileUrls } from "#core/outside/testing/hostileUrls.ts";
import {
	cleanPayload,
	shownPayload,
	storableJson,
	storablePayload,
} from "#plugins/market-index/payload.ts";

describe("cleanPayload", () => {
	const clean = (payload: Record<string, unknown>): any => cleanPayload(payload);

	test("a clean payload is returned unchanged, without a copy", () => {
		const payload = {
			event_type: "sale",
			order_hash: null,
			quantity: 1,
			payment: { quantity: "1160000000000000000", decimals: 18, symbol: "WAPE" },
			nft: {
				name: "Cat #7: the ü 😀",
				description: "Two\nlines. See https://a.test/x, or mail me: a@b.test",
				image_url: "https://a.test/7.png?w=500",
				display_image_url: "ipfs://cid/7",
				animation_url: "",
				opensea_url: "https://a.test/assets/base/0x1/7",
				traits: [{ trait_type: "Fur", display_type: null, max_value: null, value: "Gold" }],
			},
			criteria: [[]],
		};
		expect(clean(payload)).toBe(payload);
	});

	describe("a URL that no page may be handed is null", () => {
		for (const url of hostileUrls) {
			test(JSON.stringify(url), () => {
				for (const name of ["image_url", "imageUrl", "permalink", "image", "token_uri"]) {
					expect(clean({ [name]: url })).toEqual({ [name]: null });
					expect(clean({ nft: { [name]: [url] } })).toEqual({ nft: { [name]: [null] } });
				}
			});
		}
		test("a script URL becomes null also under a member whose name does not mention URLs", () => {
			const active = hostileUrls.filter((url) =>
				/script:|^file:|^data:[a-z]+\/|169\.254/i.test(url),
			);
			expect(active.length).toBeGreaterThan(5);
			for (const url of active.filter((one) => !one.startsWith("//") && !one.includes("\\"))) {
				expect(clean({ anything: { at: [url] } }), url).toEqual({ anything: { at: [null] } });
			}
		});
		test("credentials in a URL are removed", () => {
			const told = { image_url: "https://me:secret@a.test/x.png", more: "https://me@a.test/" };
			expect(clean(told)).toEqual({ image_url: "https://a.test/x.png", more: "https://a.test/" });
		});
	});

	test("hidden and reversing characters are removed from texts, and length is bounded", () => {
		expect(clean({ name: "a\u202eb\u0000c\u001b[31m\u2066\u061c\n" }).name).toBe("abc[31m\n");
		expect(clean({ description: "x".repeat(10_000) }).description).toHaveLength(8_192);
		expect(clean({ description: "😀".repeat(5_000) }).description.isWellFormed()).toBe(true);
		const sentences = { name: "Data: the beginning", note: "about: cats", more: "File: Blob: x/y" };
		expect(clean(sentences)).toBe(sentences);
	});

	describe("traits", () => {
		const traitsOf = (traits: unknown) => clean({ nft: { traits } }).nft.traits;
		test("traits that are objects, lists or nothing are dropped; others keep their form", () => {
			const level = { trait_type: "Level", value: 5, display_type: "number", max_value: 9 };
			const odd = [
				{ trait_type: "Fur", value: { a: 1 } },
				{ trait_type: "Fur", value: ["x"] },
			];
			const none = [null, 7, "x", [], {}, { value: "x" }, { trait_type: "x" }];
			const nulls = { trait_type: "x", value: null };
			expect(traitsOf([...odd, level, ...none, nulls])).toEqual([level]);
			expect(traitsOf([{ ...level, extra: { html: "<b>" }, more: "x" }])).toEqual([level]);
		});
		test("traits of 10,000 characters are cut to 128, and 10,000 traits to 100", () => {
			const [long] = traitsOf([{ trait_type: "x".repeat(10_000), value: "y".repeat(10_000) }]);
			expect([long.trait_type.length, long.value.length]).toEqual([128, 128]);
			const many = Array.from({ length: 10_000 }, (_, id) => ({
				trait_type: `t${id}`,
				value: "v",
			}));
			expect(traitsOf(many)).toHaveLength(100);
		});
		test("traits that are no list, or a list without a trait, are unknown and not empty", () => {
			for (const none of [{}, { Fur: "Gold" }, [{}], [{ trait_type: "Fur", value: {} }]]) {
				expect(traitsOf(none)).toBeNull();
			}
			expect(traitsOf([])).toEqual([]);
			expect(clean({ attributes: { a: 1 } })).toEqual({ attributes: null });
		});
	});

	test("any provider's JSON becomes clean, and is unchanged when cleaned again", () => {
		const name = fc.constantFrom("image_url", "name", "traits", "value", "trait_type", "__proto__");
		const word = fc.oneof(fc.constantFrom(...hostileUrls), fc.string({ unit: "binary" }));
		const { tree } = fc.letrec((tie) => ({
			tree: fc.oneof(
				{ maxDepth: 4 },
				word,
				fc.integer(),
				fc.constant(null),
				fc.array(tie("tree"), { maxLength: 4 }),
				fc.dictionary(name, tie("tree"), { maxKeys: 4 }),
			),
		}));
		fc.assert(
			fc.property(fc.dictionary(name, tree, { maxKeys: 4 }), (payload) => {
				const kept = cleanPayload(payload);
				expect(cleanPayload(kept)).toBe(kept);
				// What a trait says is text, and nobody follows it.
				const text = JSON.stringify(kept, (key, value) => (key === "traits" ? null : value));
				expect(text).not.toMatch(/"\s*(?:java|vb)script:|"data:text|169\.254\.169\.254|\u202e/i);
			}),
			{ numRuns: 200 },
		);
	});
});

describe("shownPayload", () => {
	const traits = [{ trait_type: "Fur", value: "Gold" }];
	const words = { image_url: "ipfs://a", display_image_url: "ipfs://b", traits };
	const SHAPES: [string, (part: object) => Record<string, unknown>][] = [
		["on the event itself", (part) => ({ ...part })],
		["in a sale's nft", (nft) => ({ event_type: "sale", nft })],
		["in an order's asset", (asset) => ({ event_type: "listing", asset })],
		["in the stream's item", (metadata) => ({ item: { metadata }, event_timestamp: "x" })],
		[
			"in the stream's whole frame",
			(metadata) => ({ event_type: "item_sold", payload: { item: { metadata } } }),
		],
	];

	for (const [where, wrap] of SHAPES) {
		test(`[IDX-12] image and traits are found ${where}: image_url, then display_image_url`, () => {
			const told = wrap(words);
			const shown = { imageUrl: "ipfs://a", traits, providerPayload: told };
			expect(shownPayload(told)).toEqual(shown);
			const display = { ...words, image_url: "" };
			expect(shownPayload(wrap(display)).imageUrl).toBe("ipfs://b");
			const none = { imageUrl: null, traits: null };
			expect(shownPayload(wrap({ image_url: 7, traits: {} }))).toMatchObject(none);
			const refused = { ...words, image_url: "javascript:alert(1)", traits: [{ value: {} }] };
			expect(shownPayload(wrap(refused))).toMatchObject({ imageUrl: "ipfs://b", traits: null });
		});
	}

	test("an image at any place comes before a display image, and outer members before inner ones", () => {
		const outer = [{ trait_type: "Fur", value: "Red" }];
		const nft = { image_url: "ipfs://in", traits };
		const payload = { display_image_url: "ipfs://out", nft, traits: outer };
		expect(shownPayload(payload)).toMatchObject({ imageUrl: "ipfs://in", traits: outer });
	});

	test("from any provider's JSON the image is a text or null, and the traits a list or null", () => {
		const key = fc.constantFrom(
			"image_url",
			"nft",
			"asset",
			"item",
			"metadata",
			"payload",
			"traits",
		);
		const leaf = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(fc.string()));
		const inner = fc.dictionary(key, leaf, { maxKeys: 5 });
		const middle = fc.dictionary(key, fc.oneof(leaf, inner), { maxKeys: 5 });
		const outer = fc.dictionary(key, fc.oneof(leaf, inner, middle), { maxKeys: 5 });
		fc.assert(
			fc.property(outer, (payload) => {
				const shown = shownPayload(payload);
				expect(shown.imageUrl === null || typeof shown.imageUrl === "string").toBe(true);
				expect(shown.traits === null || Array.isArray(shown.traits)).toBe(true);
			}),
			{ numRuns: 500 },
		);
		const nothing = { imageUrl: null, traits: null, providerPayload: null };
		expect(shownPayload(null)).toEqual(nothing);
	});
});

describe("storableJson", () => {
	test("a storable payload is kept unchanged, without a copy", () => {
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

	test("any payload is kept without the characters that jsonb refuses", () => {
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

	test("a payload above 256 KiB or 64 levels is left out", () => {
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
});

describe("storablePayload", () => {
	test("a stored payload is clean and fits jsonb; an ordinary one is not copied", () => {
		const payload = { image_url: "https://x.test/ü.png", name: "Cat 😀" };
		expect(storablePayload(payload)).toBe(payload);
		expect(storablePayload(null)).toBeNull();
		expect(
			storablePayload({ "a\u0000": "\ud800", image_url: "javascript:x", b: "\u202e" }),
		).toEqual({
			"a\ufffd": "\ufffd",
			image_url: null,
			b: "",
		});
	});

	test("a payload that is too large or too deep is left out", () => {
		const circle: Record<string, unknown> = {};
		circle["a"] = [circle];
		expect(storablePayload(circle)).toBeNull();
		expect(storablePayload({ text: "x".repeat(262_144) })).toBeNull();
	});
});
