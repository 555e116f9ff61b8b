import { describe, expect, test } from "bun:test";
import { createOriginPolicy } from "#core/http/createOriginPolicy.ts";
import { dressResponse } from "#core/http/dressResponse.ts";
import { targetOf } from "#core/http/testing/targetOf.ts";

describe("dressResponse", () => {
	function dress(
		response: Response,
		options: { method?: string; sandbox?: boolean; draining?: boolean } = {},
	) {
		return dressResponse(response, {
			request: new Request("http://localhost/", { method: options.method ?? "GET" }),
			context: {
				requestId: "r",
				target: targetOf("/"),
				clientAddress: "x",
				headers: new Map([["ratelimit-limit", "600"]]),
				fault: undefined,
				upgraded: false,
				isPublic: false,
				isForeign: false,
				keepOpen: () => {},
			},
			origins: createOriginPolicy({ allowedOrigins: [] }),
			sandbox: options.sandbox ?? false,
			draining: () => options.draining ?? false,
		});
	}

	test("an answer keeps its own headers and gets the common ones", async () => {
		const { headers } = await dress(
			new Response("x", { headers: { "x-svc-cache": "stale", vary: "Accept-Encoding" } }),
		);
		expect(Object.fromEntries(headers)).toMatchObject({
			"x-svc-cache": "stale",
			vary: "Accept-Encoding, Origin",
			"ratelimit-limit": "600",
			"x-request-id": "r",
			"x-content-type-options": "nosniff",
			"referrer-policy": "no-referrer",
		});
	});

	test("a page keeps its own referrer policy", async () => {
		const { headers } = await dress(
			new Response("x", { headers: { "referrer-policy": "same-origin" } }),
		);
		expect(headers.get("referrer-policy")).toBe("same-origin");
	});

	test("cookies that a route sets are all kept", async () => {
		const response = new Response("x");
		response.headers.append("set-cookie", "a=1");
		response.headers.append("set-cookie", "b=2");
		expect((await dress(response)).headers.getSetCookie()).toEqual(["a=1", "b=2"]);
	});

	for (const vary of ["Origin", "accept, ORIGIN", "*"]) {
		test(`a vary of ${vary} is not changed`, async () => {
			expect((await dress(new Response("x", { headers: { vary } }))).headers.get("vary")).toBe(
				vary,
			);
		});
	}

	test("an answer whose headers are immutable is copied", async () => {
		const frozen = new Response("body", { status: 201 });
		Object.defineProperty(frozen, "headers", {
			value: new Proxy(new Headers({ "x-a": "b" }), {
				get(target, name) {
					if (name === "set") throw new TypeError("immutable");
					const value = Reflect.get(target, name);
					return typeof value === "function" ? value.bind(target) : value;
				},
			}),
		});
		const dressed = await dress(frozen);
		expect([dressed.status, await dressed.text(), dressed.headers.get("x-request-id")]).toEqual([
			201,
			"body",
			"r",
		]);
	});

	test("a stream asked for by HEAD is ended, not read", async () => {
		let cancelled = false;
		const endless = new ReadableStream({
			cancel() {
				cancelled = true;
			},
		});
		const response = await dress(
			new Response(endless, { headers: { "content-type": "text/event-stream" } }),
			{ method: "HEAD" },
		);
		expect([cancelled, await response.text()]).toEqual([true, ""]);
	});

	test("a draining server sends connection: close", async () => {
		expect((await dress(new Response("x"), { draining: true })).headers.get("connection")).toBe(
			"close",
		);
		expect((await dress(new Response("x"))).headers.get("connection")).toBeNull();
	});
});
