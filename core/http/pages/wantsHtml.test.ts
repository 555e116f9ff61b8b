import { expect, test } from "bun:test";
import { wantsHtml } from "#core/http/pages/wantsHtml.ts";

const asks = (accept?: string) =>
	wantsHtml(new Request("http://localhost/", accept === undefined ? {} : { headers: { accept } }));

test("a browser's address bar gets a page", () => {
	expect(asks("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")).toBe(true);
	expect(asks("TEXT/HTML")).toBe(true);
	expect(asks("application/json;q=0.5, text/html")).toBe(true);
});

test("whoever names JSON, anything or nothing gets JSON", () => {
	for (const accept of [undefined, "*/*", "application/json", "text/html;q=0.1,application/json"]) {
		expect([accept, asks(accept)]).toEqual([accept, false]);
	}
	for (const accept of ["", "text/html;q=0", "text/htmlx", ";;,,", "text/plain", "q=1"]) {
		expect([accept, asks(accept)]).toEqual([accept, false]);
	}
});
