import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { z } from "zod";
import { canBeCached } from "#core/http/canBeCached.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { strictQueries } from "#core/http/strictQueries.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";

const query = z.object({ chain: z.string().optional(), limit: z.string().default("5") });
const guarded = new Elysia({ prefix: "/v1/mine" })
	.derive(({ request }) => {
		if (!request.headers.has("authorization")) throw httpFault.unauthorized();
		return {};
	})
	.get("", ({ query }) => query, { query })
	.post("", ({ body }) => body, { body: z.object({ a: z.string() }) });
const routes = [
	new Elysia().get("/v1/list", ({ query }) => query, { query }),
	new Elysia({ detail: canBeCached() }).get("/v1/bare/:id", ({ params }) => params),
	new Elysia().get("/v1/text", "x").delete("/v1/text", () => "gone"),
	new Elysia().get("/links/:token", () => "page", { detail: { hide: true } }),
	guarded,
];

async function ask(path: string, init: RequestInit = {}) {
	const app = testHttpApp({ routes });
	const response = await app.handle(new Request(`http://localhost${path}`, init));
	const text = await response.text();
	const isJson = response.headers.get("content-type")?.includes("json");
	return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

async function expectRefused(path: string, issue: object, init: RequestInit = {}) {
	const { status, body } = await ask(path, init);
	expect({ path, status, code: body.code }).toEqual({
		path,
		status: 422,
		code: "validation_error",
	});
	expect(body.issues).toEqual([issue]);
	return body;
}

const json = { "content-type": "application/json" };

test("a parameter that a route does not know is refused, with the one that was meant", async () => {
	const message = "is not a known parameter; did you mean chain?";
	const body = await expectRefused("/v1/list?chian=base", { path: "chian", message });
	expect(body.detail).toBe(`The query is not valid (chian): ${message}`);
	await expectRefused("/v1/list?%63hian=base", { path: "chian", message });
	await expectRefused("/v1/list?chain=base&colour=red", {
		path: "colour",
		message: "is not a known parameter; known here: chain, limit",
	});
});

test("a route that names no parameter takes none, whatever its method", async () => {
	const issue = { path: "a", message: "is not known: this route takes no query parameters" };
	await expectRefused("/v1/bare/1?a=1", issue);
	await expectRefused("/v1/text?a=1", issue);
	await expectRefused("/v1/text?a=1", issue, { method: "DELETE" });
	await expectRefused("/healthz?a=1", issue);
	await expectRefused("/metrics?a=1", issue);
	await expectRefused("/v1/mine?a=1", issue, {
		method: "POST",
		headers: { ...json, authorization: "Bearer x" },
		body: '{"a":"b"}',
	});
});

test("a parameter that is given twice is told as that", async () => {
	for (const path of ["/v1/list?limit=1&limit=2", "/v1/list?limit=1&%6Cimit=1"]) {
		await expectRefused(path, { path: "limit", message: "is given more than once" });
	}
});

test("a value is what was sent: a comma makes no list, brackets no JSON", async () => {
	for (const value of ["a,b", "[1]", '{"a":1}', "", "a+b"]) {
		const { status, body } = await ask(`/v1/list?chain=${encodeURIComponent(value)}`);
		expect({ status, body }).toEqual({ status: 200, body: { chain: value, limit: "5" } });
	}
});

test("a stranger learns that a key is wanted, and not what a route takes", async () => {
	expect((await ask("/v1/mine?chian=1")).status).toBe(401);
	const headers = { authorization: "Bearer x" };
	const message = "is not a known parameter; did you mean chain?";
	await expectRefused("/v1/mine?chian=1", { path: "chian", message }, { headers });
});

test("pages for people take what messengers add to a link", async () => {
	expect(await ask("/links/abc?utm_source=x&fbclid=1")).toEqual({ status: 200, body: "page" });
});

test("a query that is no object is our mistake, and shows when the routes are mounted", () => {
	const odd = new Elysia().get("/v1/odd", () => "x", { query: z.record(z.string(), z.string()) });
	expect(() => strictQueries(odd)).toThrow("/v1/odd");
});
