import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isPublicHost } from "#core/foreign/addresses.ts";
import { hostileUrls } from "#core/outside/testing/hostileUrls.ts";
import {
	cleanLine,
	cleanProse,
	cleanTrait,
	cleanUrl,
	MEDIA_URL_LENGTH_MAX,
} from "#core/outside.ts";

describe("cleanLine", () => {
	const cleanName = (text: unknown) => cleanLine(text, { lengthMax: 256 });

	test("ordinary names are kept, in any script", () => {
		for (const name of ["Bored Cats", "É Ä ß", "猫の本", "קטים", "Cats ❤️", "n°1 – <b>!"]) {
			expect(cleanName(name)).toBe(name);
		}
		expect(cleanName("  two\n\tlines  ")).toBe("two lines");
		expect(cleanName("e\u0301")).toBe("\u00e9");
	});

	test("a text that shows nothing gives null", () => {
		const nothing = [
			"",
			"  ",
			"\u0000\u0000",
			"\ufffd",
			"\u200b\u200d",
			"\ud800",
			"\u3164",
			"\u2800",
		];
		for (const name of [null, 7, {}, [], ...nothing, "\ufe0f", "\u0301", "\u{e000}"]) {
			expect(cleanName(name)).toBeNull();
		}
	});

	test("characters that reverse or hide text are removed", () => {
		expect(cleanName("Cats\u202estac")).toBe("Cats stac");
		expect(cleanName("Ca\u200bts\u2066\u0000")).toBe("Ca ts");
	});

	test("a name is cut at 256 characters, never inside a character", () => {
		expect(cleanName("x".repeat(2_000_000))).toBe("x".repeat(256));
		expect([...(cleanName("😀".repeat(300)) ?? "")]).toEqual(Array(256).fill("😀"));
		expect(cleanName(`${"x".repeat(255)} y`)).toBe("x".repeat(255));
	});

	test("a cleaned name can be stored, has one line, and is unchanged when cleaned again", () => {
		const texts = fc.oneof(
			fc.string({ unit: "binary", maxLength: 600 }),
			fc.string({ unit: "binary-ascii", maxLength: 60 }),
		);
		fc.assert(
			fc.property(texts, (text) => {
				const name = cleanName(text);
				if (name === null) return;
				expect(name.isWellFormed()).toBe(true);
				expect(name).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]|^\s|\s$|\s\s/u);
				expect([...name].length).toBeLessThanOrEqual(256);
				expect(cleanName(name)).toBe(name);
			}),
			{ numRuns: 500 },
		);
	});
});

describe("cleanProse", () => {
	const clean = (text: unknown, lengthMax = 200) => cleanProse(text, { lengthMax });

	test("lines are kept, with any line ending, with at most one empty line between two", () => {
		expect(clean("a\r\nb\n\n\n\nc")).toBe("a\nb\n\nc");
		expect(clean("a\u2028b\u2029c\rd")).toBe("a\nb\nc\nd");
		expect(clean("  two\twords \n\n ")).toBe("two words");
	});

	test("cleaned prose has no character that reverses, hides or breaks text, and keeps markup as text", () => {
		const bidi = ["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068"];
		for (const one of [...bidi, "\u2069", "\u200e", "\u200f", "\u061c", "\u0000", "\ufeff"]) {
			expect(clean(`pay${one}me`)).toBe("pay me");
		}
		expect(clean("<b>x</b>")).toBe("<b>x</b>");
		for (const none of [null, undefined, 7, {}, "", " \n ", "\u200b\u0301"]) {
			expect(clean(none)).toBeNull();
		}
	});

	test("any cleaned prose is bounded, storable, and unchanged when cleaned again", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
				const kept = clean(text, 50);
				if (kept === null) return;
				expect([...kept].length).toBeLessThanOrEqual(50);
				expect(kept.isWellFormed()).toBe(true);
				expect(kept.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/u);
				expect(clean(kept, 50)).toBe(kept);
			}),
			{ numRuns: 300 },
		);
		expect(clean("x".repeat(3_000_000), 4_096)).toHaveLength(4_096);
	});
});

describe("cleanTrait", () => {
	test("a trait has a name and a plain value; numbers and booleans become text", () => {
		const hat = { type: "Hat", value: "Red", displayType: null };
		expect(cleanTrait({ type: " Hat\n", value: "Red\u202e" })).toEqual(hat);
		expect(cleanTrait({ type: "Level", value: 5, displayType: "number" })).toEqual({
			type: "Level",
			value: "5",
			displayType: "number",
		});
		expect(cleanTrait({ type: "Zero", value: 0 })?.value).toBe("0");
		expect(cleanTrait({ type: 7, value: false })).toMatchObject({ type: "7", value: "false" });
	});

	test("objects, lists and invisible text are dropped as a trait's value or name", () => {
		for (const none of [
			null,
			undefined,
			{},
			[],
			["Red"],
			"",
			" ",
			"\u200b",
			Number.NaN,
			Infinity,
		]) {
			expect(cleanTrait({ type: "Hat", value: none })).toBeNull();
			expect(cleanTrait({ type: none, value: "Red" })).toBeNull();
			expect(cleanTrait({ type: "Hat", value: "Red", displayType: none })?.displayType).toBeNull();
		}
	});

	test("a text of 10,000 characters is cut to 128, and any JSON gives a short, readable text or no trait", () => {
		const long = cleanTrait({ type: "x".repeat(10_000), value: "y".repeat(10_000) });
		expect([long?.type.length, long?.value.length]).toEqual([128, 128]);
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (type, value, displayType) => {
				const trait = cleanTrait({ type, value, displayType });
				for (const text of trait ? [trait.type, trait.value, trait.displayType ?? "x"] : []) {
					expect(text).not.toMatch(/[\p{Cc}\p{Cf}\ufffd]|^\s|\s$|^$/u);
					expect([...text].length).toBeLessThanOrEqual(128);
				}
			}),
		);
	});
});

describe("cleanUrl", () => {
	test("http URLs are accepted for links and media, ipfs, ar and data URLs for media only, unchanged", () => {
		for (const url of ["https://a.test/x.png?y=1#z", "http://a.test", "https://93.184.215.14/x"]) {
			expect(cleanUrl(url, "link")).toBe(url);
			expect(cleanUrl(url, "media")).toBe(url);
		}
		for (const url of [
			"ipfs://cid/1",
			"ipns://a.eth/1",
			"ar://tx",
			"data:image/svg+xml;utf8,<svg/>",
		]) {
			expect(cleanUrl(url, "media")).toBe(url);
			expect(cleanUrl(url, "link")).toBeNull();
		}
		expect(cleanUrl(" https://a.test/x ", "link")).toBe("https://a.test/x");
	});

	for (const url of hostileUrls) {
		test(`${JSON.stringify(url)} is refused as a picture and as a link`, () => {
			expect(cleanUrl(url, "media")).toBeNull();
			expect(cleanUrl(url, "link")).toBeNull();
		});
	}

	test("credentials are removed in any scheme, and the part before an @ is not taken as the host", () => {
		expect(cleanUrl("https://me:secret@a.test/x.png", "media")).toBe("https://a.test/x.png");
		expect(cleanUrl("https://secret@a.test/x.png", "link")).toBe("https://a.test/x.png");
		expect(cleanUrl("https://opensea.io@evil.test/x", "link")).toBe("https://evil.test/x");
		expect(cleanUrl("ipfs://me:secret@cid/x", "media")).toBe("ipfs://cid/x");
	});

	test("a character that would end an HTML attribute is encoded", () => {
		expect(cleanUrl(`https://a.test/"onload='x' <b>`, "media")).toBe(
			"https://a.test/%22onload=%27x%27%20%3Cb%3E",
		);
		expect(cleanUrl("https:a.test/x", "media")).toBe("https://a.test/x");
	});

	test("a URL's length is bounded, and a caller may raise the bound", () => {
		const long = (length: number) => "https://a.test/".padEnd(length, "x");
		expect(cleanUrl(long(2_048), "media")).toBe(long(2_048));
		expect(cleanUrl(long(2_049), "media")).toBeNull();
		expect(cleanUrl(long(2_049), "media", { lengthMax: 4_000 })).toBe(long(2_049));
		const drawn = "data:image/png,".padEnd(MEDIA_URL_LENGTH_MAX, "x");
		expect(cleanUrl(drawn, "media")).toBe(drawn);
		expect(cleanUrl(`${drawn}x`, "media", { lengthMax: 99_999 })).toBeNull();
		for (const value of [null, undefined, 7, {}, [], ""])
			expect(cleanUrl(value, "media")).toBeNull();
	});

	test("any accepted URL has a known scheme, a public host and no secret", () => {
		const start = fc.constantFrom(
			"https://",
			"http://",
			"https:",
			"data:image/png,",
			"ipfs://",
			"",
		);
		const middle = fc.constantFrom("", "a:b@", "127.0.0.1", "[::1]", "a.test", "\\\\", "//", "\t");
		fc.assert(
			fc.property(start, middle, fc.string({ unit: "binary", maxLength: 40 }), (a, b, c) => {
				const kept = cleanUrl(a + b + c, "media");
				if (kept === null) return;
				expect(kept).not.toMatch(/[\p{Cc}\p{Cf}]/u);
				const url = new URL(kept);
				expect(url.username + url.password).toBe("");
				if (!/^https?:/.test(url.protocol)) return;
				expect(isPublicHost(url.hostname)).toBe(true);
				expect(kept).not.toMatch(/[\s"'<>`\\]/);
				// Read again it is the same.
				expect(cleanUrl(kept, "media")).toBe(kept);
			}),
			{ numRuns: 500 },
		);
	});
});
