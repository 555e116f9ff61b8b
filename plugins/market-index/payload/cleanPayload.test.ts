import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { hostileUrls } from "#core/outside/testing/hostileUrls.ts";
import { cleanPayload } from "#plugins/market-index/payload/cleanPayload.ts";

const clean = (payload: Record<string, unknown>): any => cleanPayload(payload);

test("ordinary words are returned as they are, without a copy", () => {
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
	test("under a name that says nothing of URLs, where it would do something", () => {
		const active = hostileUrls.filter((url) => /script:|^file:|^data:[a-z]+\/|169\.254/i.test(url));
		expect(active.length).toBeGreaterThan(5);
		for (const url of active.filter((one) => !one.startsWith("//") && !one.includes("\\"))) {
			expect(clean({ anything: { at: [url] } }), url).toEqual({ anything: { at: [null] } });
		}
	});
	test("credentials are taken off", () => {
		const told = { image_url: "https://me:secret@a.test/x.png", more: "https://me@a.test/" };
		expect(clean(told)).toEqual({ image_url: "https://a.test/x.png", more: "https://a.test/" });
	});
});

test("texts lose what reverses them or a terminal acts on, and are bounded", () => {
	expect(clean({ name: "a\u202eb\u0000c\u001b[31m\u2066\u061c\n" }).name).toBe("abc[31m\n");
	expect(clean({ description: "x".repeat(10_000) }).description).toHaveLength(8_192);
	expect(clean({ description: "😀".repeat(5_000) }).description.isWellFormed()).toBe(true);
	const sentences = { name: "Data: the beginning", note: "about: cats", more: "File: Blob: x/y" };
	expect(clean(sentences)).toBe(sentences);
});

describe("traits", () => {
	const traitsOf = (traits: unknown) => clean({ nft: { traits } }).nft.traits;
	test("that are objects, lists or nothing are left out; the others stay in their form", () => {
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
	test("of 10,000 characters are 128, and 10,000 of them are 100", () => {
		const [long] = traitsOf([{ trait_type: "x".repeat(10_000), value: "y".repeat(10_000) }]);
		expect([long.trait_type.length, long.value.length]).toEqual([128, 128]);
		const many = Array.from({ length: 10_000 }, (_, id) => ({ trait_type: `t${id}`, value: "v" }));
		expect(traitsOf(many)).toHaveLength(100);
	});
	test("that are no list, or a list without a trait, are unknown and not none", () => {
		for (const none of [{}, { Fur: "Gold" }, [{}], [{ trait_type: "Fur", value: {} }]]) {
			expect(traitsOf(none)).toBeNull();
		}
		expect(traitsOf([])).toEqual([]);
		expect(clean({ attributes: { a: 1 } })).toEqual({ attributes: null });
	});
});

test("whatever JSON a provider sends, it is clean, and clean again it is the same", () => {
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
