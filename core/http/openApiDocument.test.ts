import { describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { z } from "zod";
import { openApiDocument } from "#core/http/openApiDocument.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";

const routes = new Elysia()
	.get("/v1/things/:id", () => ({ id: "a", amount: null }), {
		params: z.object({ id: z.string() }),
		query: z.object({ limit: z.coerce.number().max(200).default(50) }),
		response: z.object({ id: z.string(), amount: z.number().nullable() }),
		detail: { tags: ["things"], summary: "One thing" },
	})
	.post("/v1/things", ({ body }) => body, {
		body: z.object({ when: z.date().optional(), big: z.bigint().optional(), name: z.string() }),
		detail: { tags: ["things"] },
	})
	.get("/v1/hidden", "x", { detail: { hide: true } })
	.ws("/v1/stream", {});

const told = new Elysia().get("/v1/told", () => ({ hash: "0x1" as const, n: 1 }), {
	query: z.object({ q: z.string().meta({ description: "What to look for." }) }),
	response: { 200: z.object({ hash: z.templateLiteral(["0x", z.string()]), n: z.int() }) },
});

const document = openApiDocument({
	app: testHttpApp({ routes: [routes] }),
	version: "1.2.3",
	sandbox: false,
});
const text = JSON.stringify(document);

describe("the OpenAPI document", () => {
	test("is version 3.1 with info, servers and the tags in use", () => {
		expect(document.openapi).toStartWith("3.1");
		expect(document.info).toMatchObject({ title: "Tapeline", version: "1.2.3" });
		expect(document.servers).toEqual([{ url: "/" }]);
		expect(document.tags).toEqual([
			{ name: "operations", description: expect.any(String) },
			{ name: "things" },
		]);
	});

	test("names the public address, and says so in the sandbox", () => {
		const { servers } = openApiDocument({
			app: new Elysia(),
			version: "1",
			sandbox: true,
			publicUrl: "https://api.example",
		});
		expect(servers[0]?.url).toBe("https://api.example");
		expect(servers[0]?.description).toContain("Sandbox");
	});

	test("has every route but streams, hidden ones and itself", () => {
		expect(Object.keys(document.paths).sort()).toEqual([
			"/",
			"/healthz",
			"/metrics",
			"/problems",
			"/problems/{code}",
			"/readyz",
			"/v1/things",
			"/v1/things/{id}",
		]);
	});

	test("describes parameters, body and answer", () => {
		expect(document.paths["/v1/things/{id}"]?.get).toMatchObject({
			summary: "One thing",
			parameters: [
				{ name: "id", in: "path", required: true, schema: { type: "string" } },
				{
					name: "limit",
					in: "query",
					required: false,
					schema: { type: "number", maximum: 200, default: 50 },
				},
			],
			responses: {
				200: {
					content: {
						"application/json": { schema: { type: "object", required: ["id", "amount"] } },
					},
				},
			},
		});
	});

	test("says at each parameter what its schema says, and names statuses and `0x…` as people read them", () => {
		const made = openApiDocument({
			app: testHttpApp({ routes: [told] }),
			version: "1",
			sandbox: false,
		});
		expect(made.paths["/v1/told"]?.get).toMatchObject({
			parameters: [{ name: "q", description: "What to look for." }],
			responses: {
				200: {
					description: "OK",
					content: {
						"application/json": {
							schema: {
								properties: { hash: { pattern: "^0x[0-9a-fA-F]*$" }, n: { type: "integer" } },
							},
						},
					},
				},
			},
		});
		expect(JSON.stringify(made.paths["/v1/told"])).not.toContain(String(Number.MAX_SAFE_INTEGER));
	});

	test("offers bodies as JSON only, because forms are refused", () => {
		const body = Object(document.paths["/v1/things"]?.post).requestBody;
		expect(Object.keys(body.content)).toEqual(["application/json"]);
		expect(body.content["application/json"].schema.required).toEqual(["name"]);
	});

	test("shows the problem as every route's error", () => {
		for (const item of Object.values(document.paths)) {
			for (const operation of Object.values(item)) {
				expect(Object(operation).responses.default.content).toEqual({
					"application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
				});
			}
		}
		expect(document.components).toHaveProperty(["schemas", "Problem", "required"]);
	});

	test("every reference in it leads somewhere", () => {
		for (const [, path = ""] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
			const found = path.split("/").reduce<unknown>((value, key) => Object(value)[key], document);
			expect({ path, found: found !== undefined }).toEqual({ path, found: true });
		}
	});

	test("operation ids are unique", () => {
		const ids = [...text.matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id);
		expect(new Set(ids).size).toBe(ids.length);
	});
});
