import { expect, test } from "bun:test";
import fc from "fast-check";
import { hostileUrls } from "#core/outside/testing/hostileUrls.ts";
import { IMAGE_LENGTH_MAX } from "#plugins/market-index/metadata/limits.ts";
import { displayUrl } from "#plugins/market-index/metadata/tokenUri/displayUrl.ts";

const CID = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG";
const gateways = { ipfs: ["http://10.0.0.7:8080", "https://b.test"], arweave: "https://ar.test" };
const shown = (url: string) => displayUrl(url, gateways);

test("content is shown from the first gateway that browsers may reach", () => {
	expect(shown(`ipfs://${CID}/1.png`)).toBe(`https://b.test/ipfs/${CID}/1.png`);
	expect(shown(`http://c.test/ipfs/${CID}`)).toBe(`https://b.test/ipfs/${CID}`);
	const local = { ...gateways, ipfs: ["http://127.0.0.1:1"] };
	expect(displayUrl(`ipfs://${CID}`, local)).toBe(`http://127.0.0.1:1/ipfs/${CID}`);
	expect(displayUrl(`ipfs://${CID}`, { ...gateways, ipfs: [] })).toBeNull();
	const id = "bNbA3TEQVL60xlgCcqdz4ZPHFZ711cZ3hmkpGttDt_U";
	expect(shown(`ar://${id}`)).toBe(`https://ar.test/${id}`);
});

test("only what a page may show is kept: never a script's URL, a document or a plain http one", () => {
	for (const url of [
		"https://a.test/1.png",
		"data:image/svg+xml;base64,PHN2Zz4=",
		"data:video/mp4,x",
	]) {
		expect(shown(url)).toBe(url);
	}
	const refused = ["javascript:alert(1)", "data:text/html,<b>", "http://a.test/", "//a.test/", ""];
	for (const url of [...refused, "file:///x", "ipfs://cat", "https://a.test/\u0000", "blob:x"]) {
		expect(shown(url), url).toBeNull();
	}
	for (const url of hostileUrls) expect(shown(url), url).toBeNull();
	expect(shown("https://me:secret@a.test/1.png")).toBe("https://a.test/1.png");
	const long = (length: number) => "https://a.test/".padEnd(length, "x");
	expect(shown(long(IMAGE_LENGTH_MAX))).toBe(long(IMAGE_LENGTH_MAX));
	expect(shown(long(IMAGE_LENGTH_MAX + 1))).toBeNull();
});

test("what would end an attribute is encoded, a drawing over several lines included", () => {
	expect(shown(`https://a.test/"onload='x' <b>`)).toBe(
		"https://a.test/%22onload=%27x%27%20%3Cb%3E",
	);
	expect(shown('data:image/svg+xml;utf8,<svg>\n"</svg>')).toBe(
		"data:image/svg+xml;utf8,%3Csvg%3E%0A%22%3C/svg%3E",
	);
});

test("whatever is told, the result is null or a harmless text of a known scheme", () => {
	const scheme = fc.constantFrom(
		"https://",
		"data:image/png,",
		"javascript:",
		`ipfs://${CID}/`,
		"",
	);
	fc.assert(
		fc.property(scheme, fc.string({ unit: "binary", maxLength: 40 }), (start, rest) => {
			const url = shown(start + rest);
			if (url === null) return;
			expect(url).toMatch(/^(https:\/\/|data:(image|video|audio)\/)/i);
			expect(url).not.toMatch(/[\p{Cc}\s"'<>`\\]/u);
			expect(url.isWellFormed()).toBe(true);
		}),
		{ numRuns: 500 },
	);
});
