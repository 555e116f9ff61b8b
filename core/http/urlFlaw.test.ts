import { expect, test } from "bun:test";
import fc from "fast-check";
import { urlFlaw } from "#core/http/urlFlaw.ts";

for (const part of [
	"%00",
	"a%00b",
	"%ff",
	"%E0%A4%A",
	"%",
	"%z1",
	"%C0%80",
	"%ED%A0%80",
	"?q=%ff",
	"?q=%00",
]) {
	test(`${part} is a flaw`, () => {
		expect(urlFlaw(`http://localhost/${part}`)).toBeString();
	});
}

for (const part of ["", "a/b", "%20", "%2f", "%F0%9F%90%B5", "?q=%25&z=%C3%BC"]) {
	test(`${JSON.stringify(part)} is fine`, () => {
		expect(urlFlaw(`http://localhost/${part}`)).toBeUndefined();
	});
}

test("whatever encodeURIComponent writes is fine, but for NUL", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme" }), (text) => {
			const flaw = urlFlaw(`http://localhost/${encodeURIComponent(text)}`);
			expect(flaw === undefined).toBe(!text.includes("\u0000"));
		}),
	);
});
