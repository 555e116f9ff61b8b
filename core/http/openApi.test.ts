import { describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { z } from "zod";
import { createSwaggerAssets, openApiDocument } from "#core/http/openApi.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";

describe("createSwaggerAssets", () => {
	const assets = createSwaggerAssets();

	for (const name of ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png", "start.js"]) {
		test(`${name} is served unchanged each time, with a compressed copy`, async () => {
			const asset = await assets.find(name);
			expect(asset?.body.byteLength).toBeGreaterThan(100);
			expect(asset && Bun.gunzipSync(asset.gzipped)).toEqual(asset?.body);
			expect(asset?.etag).toMatch(/^"[0-9a-z]+"$/);
			expect(await assets.find(name)).toBe(asset);
		});
	}

	// Guarantee: a name from a URL never reaches the file system.
	for (const name of [
		"",
		"../package.json",
		"swagger-ui.js",
		"toString",
		"__proto__",
		"START.JS",
	]) {
		test(`${JSON.stringify(name)} is not served`, async () => {
			expect(await assets.find(name)).toBeUndefined();
		});
	}
});

describe("indexRoutes", () => {
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

	test("programs get as JSON the addresses of the documentation and of the first routes", async () => {
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

	test("browsers get the list of addresses as an HTML page, and each of its links answers", async () => {
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
});

describe("openApiDocument", () => {
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
		test("the document is OpenAPI 3.1 with info, servers and the tags in use", () => {
			expect(document.openapi).toStartWith("3.1");
			expect(document.info).toMatchObject({ title: "Tapeline", version: "1.2.3" });
			expect(document.servers).toEqual([{ url: "/" }]);
			expect(document.tags).toEqual([
				{ name: "operations", description: expect.any(String) },
				{ name: "things" },
			]);
		});

		test("the document has the public address, and marks the sandbox", () => {
			const { servers } = openApiDocument({
				app: new Elysia(),
				version: "1",
				sandbox: true,
				publicUrl: "https://api.example",
			});
			expect(servers[0]?.url).toBe("https://api.example");
			expect(servers[0]?.description).toContain("Sandbox");
		});

		test("the document has every route but streams, hidden ones and itself", () => {
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

		test("the document describes parameters, body and answer", () => {
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

		test("each parameter is described as its schema is, with statuses and `0x…` in readable names", () => {
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

		test("the document offers bodies as JSON only, because forms are refused", () => {
			const body = Object(document.paths["/v1/things"]?.post).requestBody;
			expect(Object.keys(body.content)).toEqual(["application/json"]);
			expect(body.content["application/json"].schema.required).toEqual(["name"]);
		});

		test("the document gives the problem as every route's error", () => {
			for (const item of Object.values(document.paths)) {
				for (const operation of Object.values(item)) {
					expect(Object(operation).responses.default.content).toEqual({
						"application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
					});
				}
			}
			expect(document.components).toHaveProperty(["schemas", "Problem", "required"]);
		});

		test("every reference in the document resolves", () => {
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
});

describe("openApiRoutes", () => {
	const app = testHttpApp({ routes: [new Elysia().get("/v1/late", "x")] });
	const get = (path: string, headers: Record<string, string> = {}) =>
		app.handle(new Request(`http://localhost${path}`, { headers }));

	describe("the API's page", () => {
		test("the page loads nothing from other hosts and nothing inline", async () => {
			const response = await get("/openapi");
			expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
			const policy = response.headers.get("content-security-policy") ?? "";
			expect(policy).toContain("default-src 'none'");
			expect(policy).toContain("script-src 'self'");
			expect(policy).not.toContain("unsafe");
			const page = await response.text();
			expect(page).not.toMatch(/https?:\/\//);
			expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
			expect(page).not.toMatch(/\son\w+=|<style|\sstyle=/);
		});

		test("every file that the page names is served with its type", async () => {
			const page = await (await get("/openapi")).text();
			const files = [...page.matchAll(/(?:src|href)="(\/openapi\/assets\/[^"]+)"/g)].map(
				([, path]) => path ?? "",
			);
			expect(files).toHaveLength(4);
			for (const path of files) {
				const response = await get(path);
				expect({ path, status: response.status }).toEqual({ path, status: 200 });
				const type = path.endsWith(".js")
					? "text/javascript"
					: path.endsWith(".css")
						? "text/css"
						: "image/png";
				expect(response.headers.get("content-type")).toStartWith(type);
				expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100);
			}
		});

		test("the script calls no other server", async () => {
			const script = await (await get("/openapi/assets/start.js")).text();
			expect(script).toContain("validatorUrl: null");
			expect(script).toContain('url: "/openapi/json"');
		});

		test("a file is sent compressed to a client that accepts it, and with 304 to one that has it", async () => {
			const path = "/openapi/assets/swagger-ui-bundle.js";
			const packed = await get(path, { "accept-encoding": "gzip, br" });
			expect(packed.headers.get("content-encoding")).toBe("gzip");
			const plain = await (await get(path)).text();
			expect(new TextDecoder().decode(Bun.gunzipSync(await packed.bytes()))).toBe(plain);
			const etag = packed.headers.get("etag") ?? "";
			expect((await get(path, { "if-none-match": etag })).status).toBe(304);
		});

		for (const name of [
			"index.html",
			"package.json",
			"..%2fpackage.json",
			"%2e%2e/package.json",
			"__proto__",
			"constructor",
			"swagger-ui.css.map",
		]) {
			test(`${name} is not served`, async () => {
				const response = await get(`/openapi/assets/${name}`);
				expect(response.status).toBe(404);
				expect(await response.json()).toMatchObject({ code: "not_found" });
			});
		}
	});

	test("the document has routes that were mounted after it", async () => {
		const response = await get("/openapi/json");
		expect(response.headers.get("content-type")).toBe("application/json");
		expect(await response.json()).toHaveProperty(["paths", "/v1/late", "get"]);
	});
});
