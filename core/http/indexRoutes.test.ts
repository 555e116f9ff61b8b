import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { z } from "zod";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";

const detail = (summary: string, more: object = {}) => ({ detail: { summary, ...more } });
const routes = new Elysia()
	.get("/v1/cats", "x", detail("Lists <cats>"))
	.get("/v1/cats/:id", "x", detail("Shows a cat"))
	.get("/v1/mine", "x", detail("Lists your cats", { security: [{ session: [] }] }))
	.get("/v1/find", "x", { ...detail("Finds cats"), query: z.object({ q: z.string() }) })
	.post("/v1/cats", "x", detail("Makes a cat"));
const app = testHttpApp({ routes: [routes], version: "1.2.3", sandbox: true });
const get = (accept: string) =>
	app.handle(new Request("http://localhost/", { headers: { accept } }));

test("programs are told as JSON what describes the service, and what they can read at once", async () => {
	const answer = await get("*/*");
	expect(answer.status).toBe(200);
	expect(answer.headers.get("vary")).toContain("Accept");
	const { routes, documents, ...rest } = await answer.json();
	expect(rest).toEqual({ name: "Tapeline", version: "1.2.3", sandbox: true });
	expect(documents.map(({ path }: any) => path)).toEqual([
		"/openapi",
		"/openapi/json",
		"/asyncapi/json",
		"/problems",
	]);
	expect(routes.map(({ path }: any) => path).sort()).toEqual([
		"/healthz",
		"/metrics",
		"/readyz",
		"/v1/cats",
	]);
});

test("browsers are shown the same, and every address in it answers", async () => {
	const page = await get("text/html,*/*;q=0.8");
	expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
	const html = await page.text();
	expect(html).toContain("Lists &lt;cats&gt;.");
	expect(html).toContain("nothing here is real money");
	const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, path = ""]) => path);
	expect(links.length).toBeGreaterThan(7);
	for (const path of links) {
		const { status } = await app.handle(new Request(`http://localhost${path}`));
		expect({ path, status }).toEqual({ path, status: 200 });
	}
});
