import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { IMAGE_LENGTH_MAX } from "#plugins/market-index/metadata/metadataJobs.ts";
import {
	TOKEN_TRAITS_MAX,
	TRAIT_TEXT_MAX,
	URI_LENGTH_MAX,
} from "#plugins/market-index/tokens/model.ts";
import {
	coversSupply,
	shownUri,
	storableDocument,
	storableTraits,
	storableUri,
} from "#plugins/market-index/tokens/storable.ts";

describe("coversSupply", () => {
	test("a few unreadable tokens do not prevent ranks, many do", () => {
		expect(coversSupply(95, "100")).toBe(true);
		expect(coversSupply(94, "100")).toBe(false);
		expect(coversSupply(50_000, (2n ** 255n).toString())).toBe(false);
	});

	test("the existing tokens count as all if the supply is unknown or 0", () => {
		expect(coversSupply(1, null)).toBe(true);
		expect(coversSupply(1, "0")).toBe(true);
	});
});

describe("storableDocument", () => {
	const told = (given: Partial<Parameters<typeof storableDocument>[0]>) =>
		storableDocument({
			name: null,
			description: null,
			imageUrl: null,
			animationUrl: null,
			traits: null,
			...given,
		});

	test("missing fields stay null, and an empty list of traits is not null", () => {
		expect(told({})).toEqual({
			name: null,
			description: null,
			imageUrl: null,
			animationUrl: null,
			traits: null,
		});
		expect(told({ traits: [] }).traits).toEqual([]);
	});

	test("media URLs keep only displayable schemes", () => {
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

	test("a description is text that the database accepts, and blank is null", () => {
		expect(told({ description: " \n " }).description).toBeNull();
		expect(told({ description: "a\u0000\ud800b".repeat(4_000) }).description).toHaveLength(4_096);
	});
});

describe("storableTraits", () => {
	test("a trait that a token has twice is stored once, so that counting rows counts tokens", () => {
		const hat = { type: "Hat", value: "Red" };
		expect(
			storableTraits([hat, { type: "Hat", value: " Red " }, { type: "Hat", value: "Blue" }]),
		).toEqual([hat, { type: "Hat", value: "Blue" }]);
	});

	test("an empty value means no trait, and an empty name is ignored", () => {
		expect(
			storableTraits([
				{ type: "Hat", value: "" },
				{ type: "\u0000", value: "x" },
				{ type: "Level", value: "5", displayType: "number" },
			]),
		).toEqual([
			{ type: "Hat", value: "" },
			{ type: "Level", value: "5", displayType: "number" },
		]);
	});

	test("any traits are stored within bounds, and storing them again changes nothing", () => {
		const trait = fc.record({
			type: fc.string({ unit: "binary", maxLength: 300 }),
			value: fc.string({ unit: "binary", maxLength: 300 }),
		});
		fc.assert(
			fc.property(fc.array(trait, { maxLength: 150 }), (told) => {
				const kept = storableTraits(told);
				expect(kept.length).toBeLessThanOrEqual(TOKEN_TRAITS_MAX);
				for (const { type, value } of kept) {
					expect([...type].length).toBeLessThanOrEqual(TRAIT_TEXT_MAX);
					expect([...value].length).toBeLessThanOrEqual(TRAIT_TEXT_MAX);
					expect(JSON.stringify([type, value])).not.toContain("\\u0000");
				}
				expect(storableTraits(kept)).toEqual(kept);
			}),
		);
	});
});

describe("storableUri", () => {
	test("the URI of a read document is stored unchanged; a `data:` URI without its content", () => {
		for (const uri of ["ipfs://cats/7", "http://10.0.0.7:8080/7.json", "ar://x", "7.json"]) {
			expect(storableUri(uri)).toBe(uri);
		}
		expect(storableUri('data:application/json,{"a":1}')).toBe("data:application/json,");
		expect(storableUri("https://a.test/\u202e7\u0000\ud800")).toBe(
			"https://a.test/%E2%80%AE7%00%EF%BF%BD".replace("%EF%BF%BD", "\ufffd"),
		);
	});

	test("the URI of an unreadable document is stored only if a page may link to it", () => {
		expect(shownUri("https://a.test/7")).toBe("https://a.test/7");
		expect(shownUri("ipfs://cats/7")).toBe("ipfs://cats/7");
		expect(shownUri("https://me:secret@a.test/7")).toBe("https://a.test/7");
		const refused = ["javascript:alert(1)", "http://169.254.169.254/latest", "file:///etc/passwd"];
		for (const uri of [...refused, "http://localhost/7", "7.json", ""]) {
			expect(shownUri(uri)).toBeNull();
		}
	});

	test("any stored URI is bounded, and shows all of its characters", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary", maxLength: 6_000 }), (uri) => {
				const stored = storableUri(uri);
				expect(stored.length).toBeLessThanOrEqual(URI_LENGTH_MAX);
				expect(stored).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
				expect(stored.isWellFormed()).toBe(true);
			}),
		);
	});
});
