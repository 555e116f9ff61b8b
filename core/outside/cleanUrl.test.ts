import { expect, test } from "bun:test";
import fc from "fast-check";
import { isPublicHost } from "#core/foreign/isPublicHost.ts";
import { cleanUrl } from "#core/outside/cleanUrl.ts";
import { MEDIA_URL_LENGTH_MAX } from "#core/outside/limits.ts";
import { hostileUrls } from "#core/outside/testing/hostileUrls.ts";

test("URLs lead where people and pictures are, and stay as they were written", () => {
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
	test(`${JSON.stringify(url)} is neither drawn nor followed`, () => {
		expect(cleanUrl(url, "media")).toBeNull();
		expect(cleanUrl(url, "link")).toBeNull();
	});
}

test("credentials are taken off, of whatever scheme, and the name before an @ is no host", () => {
	expect(cleanUrl("https://me:secret@a.test/x.png", "media")).toBe("https://a.test/x.png");
	expect(cleanUrl("https://secret@a.test/x.png", "link")).toBe("https://a.test/x.png");
	expect(cleanUrl("https://opensea.io@evil.test/x", "link")).toBe("https://evil.test/x");
	expect(cleanUrl("ipfs://me:secret@cid/x", "media")).toBe("ipfs://cid/x");
});

test("what would end an attribute is encoded", () => {
	expect(cleanUrl(`https://a.test/"onload='x' <b>`, "media")).toBe(
		"https://a.test/%22onload=%27x%27%20%3Cb%3E",
	);
	expect(cleanUrl("https:a.test/x", "media")).toBe("https://a.test/x");
});

test("a URL is bounded, and a longer one where whoever asks says so", () => {
	const long = (length: number) => "https://a.test/".padEnd(length, "x");
	expect(cleanUrl(long(2_048), "media")).toBe(long(2_048));
	expect(cleanUrl(long(2_049), "media")).toBeNull();
	expect(cleanUrl(long(2_049), "media", { lengthMax: 4_000 })).toBe(long(2_049));
	const drawn = "data:image/png,".padEnd(MEDIA_URL_LENGTH_MAX, "x");
	expect(cleanUrl(drawn, "media")).toBe(drawn);
	expect(cleanUrl(`${drawn}x`, "media", { lengthMax: 99_999 })).toBeNull();
	for (const value of [null, undefined, 7, {}, [], ""]) expect(cleanUrl(value, "media")).toBeNull();
});

test("whatever is told, what is kept is of a known scheme, a public host and nobody's secret", () => {
	const start = fc.constantFrom("https://", "http://", "https:", "data:image/png,", "ipfs://", "");
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
