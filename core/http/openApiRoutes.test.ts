import { describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";

const app = testHttpApp({ routes: [new Elysia().get("/v1/late", "x")] });
const get = (path: string, headers: Record<string, string> = {}) =>
	app.handle(new Request(`http://localhost${path}`, { headers }));

describe("the API's page", () => {
	test("loads nothing from elsewhere and nothing inline", async () => {
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

	test("every file it names is served with its type", async () => {
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

	test("the script asks no server of others", async () => {
		const script = await (await get("/openapi/assets/start.js")).text();
		expect(script).toContain("validatorUrl: null");
		expect(script).toContain('url: "/openapi/json"');
	});

	test("files are sent compressed to who can read that, and not again to who has them", async () => {
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
