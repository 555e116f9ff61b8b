import { expect, test } from "bun:test";
import fc from "fast-check";
import { shownPayload } from "#plugins/market-index/payload/shownPayload.ts";

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

test("an image anywhere goes before a display image elsewhere, and the outermost words go first", () => {
	const outer = [{ trait_type: "Fur", value: "Red" }];
	const nft = { image_url: "ipfs://in", traits };
	const payload = { display_image_url: "ipfs://out", nft, traits: outer };
	expect(shownPayload(payload)).toMatchObject({ imageUrl: "ipfs://in", traits: outer });
});

test("whatever JSON a provider sends, there is a text or null and a list or null", () => {
	const key = fc.constantFrom("image_url", "nft", "asset", "item", "metadata", "payload", "traits");
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
