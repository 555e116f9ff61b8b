import { expect, test } from "bun:test";
import { IMAGE_LENGTH_MAX } from "#plugins/market-index/limits.ts";
import { readContractUri } from "#plugins/market-index/metadata/readContractUri.ts";

const image = "data:image/svg+xml;base64,PHN2Zz4=";
const document = { name: "Cats & Dogs", image, description: "ignored" };
const json = JSON.stringify(document);
const plain = (text: string) => `data:application/json;utf8,${text}`;
const imageOf = (image: unknown) => readContractUri(plain(JSON.stringify({ image })))?.imageUrl;

test("a document within the URI is read, however it is encoded", () => {
	const forms = [
		plain(json),
		`data:application/json,${encodeURIComponent(json)}`,
		`data:application/json;charset=utf-8;base64,${Buffer.from(json).toString("base64")}`,
		`DATA:application/json;BASE64,${Buffer.from(json).toString("base64")}`,
	];
	for (const uri of forms) {
		expect(readContractUri(uri)).toEqual({ name: "Cats & Dogs", imageUrl: image });
	}
	expect(readContractUri(plain('{"name":"100% cats"}'))).toMatchObject({ name: "100% cats" });
});

test("a URI that points elsewhere is not followed", () => {
	for (const uri of [null, "", "https://x.test/c.json", "ipfs://cid", "file:///etc/passwd", json]) {
		expect(readContractUri(uri)).toBeNull();
	}
	expect(readContractUri("data:text/html,<b>")).toBeNull();
});

test("only images that a page may show are kept: never a script's URL", () => {
	for (const url of ["https://x.test/a.png", "ipfs://cid/1.png", image])
		expect(imageOf(url)).toBe(url);
	const refused = [
		"javascript:alert(1)",
		"data:text/html,<script>",
		"http://x.test/a.png",
		"//x.test/a.png",
		"https://x.test/\u0000",
		"",
		7,
		null,
		{ url: image },
	];
	for (const url of refused) expect(imageOf(url)).toBeNull();
	const long = (length: number) => "https://".padEnd(length, "x");
	expect(imageOf(long(IMAGE_LENGTH_MAX))).toBe(long(IMAGE_LENGTH_MAX));
	expect(imageOf(long(IMAGE_LENGTH_MAX + 1))).toBeNull();
	expect(imageOf("https://x.test/\ud800")).toBe("https://x.test/\ufffd");
});

test("one field that is nonsense costs only that field", () => {
	expect(readContractUri(plain('{"name":{},"image":"ipfs://a"}'))).toEqual({
		name: null,
		imageUrl: "ipfs://a",
	});
	expect(readContractUri(plain('{"name":"A\\u0000\\ud800B"}'))).toEqual({
		name: "A B",
		imageUrl: null,
	});
});

test("what is no document is nothing", () => {
	const deep = "[".repeat(100_000) + "]".repeat(100_000);
	for (const text of ["", "{", "null", "7", '"text"', "[]", deep, `{"name":${deep}`]) {
		expect(readContractUri(plain(text))).toBeNull();
	}
});
