import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { defineFaults } from "#core/fault/defineFaults.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";

const fault = defineFaults({
	catAway: {
		status: 409,
		retry: "never",
		public: "The cat <is> away.",
		advice: "Call `/v1/cats` & wait.",
	},
	catAsleep: { code: "cat_away", status: 503, retry: "later", public: "The cat sleeps." },
});
const routes = new Elysia().get("/v1/cats", () => {
	throw fault.catAway();
});
const app = testHttpApp({ routes: [routes] });
const get = (path: string, accept = "*/*") =>
	app.handle(new Request(`http://localhost${path}`, { headers: { accept } }));

test("the type of a problem leads to what its code means and what to do", async () => {
	const refused = await get("/v1/cats");
	const { type, code } = (await refused.json()) as { type: string; code: string };
	const target = new URL(type, "http://localhost/v1/cats").pathname;
	const page = await get(target);
	expect(page.headers.get("content-type")).toStartWith("application/json");
	expect(page.headers.get("vary")).toContain("Accept");
	expect(await page.json()).toEqual({
		code,
		cases: [
			{ status: 409, meaning: "The cat <is> away.", advice: "Call `/v1/cats` & wait." },
			{ status: 503, meaning: "The cat sleeps.", advice: expect.stringContaining("Retry-After") },
		],
	});
});

test("a browser gets the same as a page that runs and loads nothing", async () => {
	const page = await get("/problems/cat_away", "text/html");
	expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
	const html = await page.text();
	expect(html).toContain("The cat &lt;is&gt; away.");
	expect(html).toContain("Call <code>/v1/cats</code> &amp; wait.");
	expect(html).toContain("HTTP 409 Conflict");
	expect(html).not.toMatch(/<script|\son\w+=|<link|https?:/);
	const policy = page.headers.get("content-security-policy") ?? "";
	expect(policy).toContain("default-src 'none'");
	const [, style = ""] = /<style>([\s\S]*)<\/style>/.exec(html) ?? [];
	const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64");
	expect(policy).toContain(`style-src 'sha256-${hash}'`);
});

test("the list has every code, and leads to each", async () => {
	const { problems } = await (await get("/problems")).json();
	const codes = problems.map((one: any) => one.code);
	expect(codes).toEqual([...codes].sort());
	expect(codes).toContain("cat_away");
	expect(codes).toContain("rate_limited");
	const html = await (await get("/problems", "text/html")).text();
	for (const code of codes) expect(html).toContain(`href="/problems/${code}"`);
});

test("a code that nothing has is not found, and what is no code is refused", async () => {
	const unknown = await get("/problems/no_such_code", "text/html");
	expect(unknown.status).toBe(404);
	expect(await unknown.json()).toMatchObject({ code: "not_found" });
	for (const name of ["%3Cscript%3E", "..%2f", "A", "x".repeat(65)]) {
		expect([name, (await get(`/problems/${name}`)).status]).toEqual([name, 422]);
	}
});
