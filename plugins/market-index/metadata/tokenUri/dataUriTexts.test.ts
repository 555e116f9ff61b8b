import { expect, test } from "bun:test";
import fc from "fast-check";
import { dataUriTexts } from "#plugins/market-index/metadata/tokenUri/dataUriTexts.ts";

const json = '{"name":"Cäts & Dogs"}';
const base64 = Buffer.from(json).toString("base64");

test("the text is read however it is encoded", () => {
	for (const uri of [
		`data:application/json;base64,${base64}`,
		`data:application/json;charset=utf-8;base64,${base64}`,
		`DATA:Application/JSON;Charset=UTF-8;BASE64,${base64}`,
		`data:application/json;base64,${base64.replaceAll("+", "-").replaceAll("/", "_")}`,
		`data:application/json;base64,${encodeURIComponent(base64)}`,
		`data:application/json;charset=nonsense;base64,${base64}`,
		`data:;base64,${base64}`,
		`data:application/json,${encodeURIComponent(json)}`,
		`data:application/json;utf8,${encodeURIComponent(json)}`,
		`data:text/plain;charset=UTF-8,${json}`,
		`data:,${json}`,
	]) {
		expect(dataUriTexts(uri)?.[0], uri).toBe(json);
	}
	const latin = Buffer.from(json, "latin1").toString("base64");
	expect(dataUriTexts(`data:application/json;charset=iso-8859-1;base64,${latin}`)).toEqual([json]);
});

test("percent signs that encode nothing are percent signs", () => {
	expect(dataUriTexts('data:application/json,{"name":"100% cats"}')).toEqual([
		'{"name":"100% cats"}',
	]);
	const quoted = 'data:application/json;utf8,{"image":"a%22b"}';
	expect(dataUriTexts(quoted)).toEqual(['{"image":"a"b"}', '{"image":"a%22b"}']);
});

test("images, pages and what is no data URI hold no document", () => {
	for (const uri of [
		"data:image/png;base64,AAAA",
		"data:text/html,<b>",
		"data:",
		"https://a.test/",
	]) {
		expect(dataUriTexts(uri), uri).toBeNull();
	}
});

test("any text comes back as it was written, whichever way", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme" }), (text) => {
			const inBase64 = Buffer.from(text).toString("base64");
			const read = (uri: string) => dataUriTexts(uri)?.[0];
			expect(read(`data:application/json;base64,${inBase64}`)).toBe(text.replace(/^\ufeff/, ""));
			expect(read(`data:application/json,${encodeURIComponent(text)}`)).toBe(text);
		}),
	);
});

test("[SEC-05] what stands before the comma is read only so far", () => {
	const head = (length: number) => `data:application/json;${"x".repeat(length)},{}`;
	expect(dataUriTexts(head(400))).toEqual(["{}"]);
	for (const flood of [head(600), `data:${";".repeat(2_900_000)},{}`]) {
		expect(dataUriTexts(flood)).toBeNull();
	}
});
