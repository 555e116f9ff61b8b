import { describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { z } from "zod";
import { createDrain, type OperationsOptions, operationsRoutes } from "#core/http/createHttpApp.ts";
import { httpFault } from "#core/http/faults.ts";
import { requestContexts } from "#core/http/requests.ts";
import { canBeReadByAnyPage } from "#core/http/routeMarks.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";

describe("createDrain", () => {
	test("a drain begins once and never ends, each for itself", () => {
		const [drain, other] = [createDrain(), createDrain()];
		expect(drain.begun()).toBe(false);
		drain.begin();
		drain.begin();
		expect([drain.begun(), other.begun()]).toEqual([true, false]);
	});
});

describe("createHttpApp", () => {
	const routes = new Elysia()
		.get("/v1/things/:id", ({ params }) => params, {
			params: z.object({ id: z.string().max(20) }),
			query: z.object({ limit: z.coerce.number().int().max(200).optional() }),
		})
		.post("/v1/things", ({ body }) => body, { body: z.object({ count: z.number() }) })
		.post("/v1/raw", async ({ request }) => ({ length: (await request.text()).length }), {
			parse: "none",
		})
		.post("/v1/resync", ({ set }) => {
			set.status = 202;
		})
		.get("/v1/throws", ({ set }) => {
			set.headers["set-cookie"] = "session=c4n4ry";
			throw new Error("c4n4ry SELECT secret FROM users");
		})
		.get("/v1/rejects", () => Promise.reject("c4n4ry"))
		.get("/v1/bad-answer", () => ({ hidden: "c4n4ry" }) as never, {
			response: z.object({ id: z.string() }),
		})
		.get("/v1/bigint", () => ({ big: 1n }))
		.get("/v1/status-404", ({ status }) => status(404))
		.get("/v1/response-500", () => new Response("c4n4ry", { status: 500 }))
		.get("/v1/json-400", () => Response.json({ jsonrpc: "2.0" }, { status: 400 }))
		.get("/v1/unavailable", () => {
			throw httpFault.unavailable({ detail: "c4n4ry" });
		})
		.get("/v1/text", "plain")
		.get("/v1/context", ({ request }) => requestContexts.get(request)?.clientAddress ?? "none")
		.get(
			"/page",
			() => new Response("<p>gone</p>", { status: 404, headers: { "content-type": "text/html" } }),
		)
		.ws("/v1/stream", {});

	const json = { "content-type": "application/json" };

	function call(
		app: ReturnType<typeof testHttpApp>,
		method: string,
		path: string,
		init: RequestInit = {},
	) {
		return app.handle(new Request(`http://localhost${path}`, { method, ...init }));
	}

	type Bad = [
		name: string,
		method: string,
		path: string,
		init: RequestInit,
		status: number,
		code: string,
	];

	const bad: Bad[] = [
		["an unknown address", "GET", "/v1/nope", {}, 404, "not_found"],
		["an unknown address outside /v1", "GET", "/nope", {}, 404, "not_found"],
		["an unknown address, POST", "POST", "/v1/nope", { body: "x" }, 404, "not_found"],
		["a doubled slash", "GET", "//v1/things/a", {}, 404, "not_found"],
		["a wrong method", "DELETE", "/v1/things/a", {}, 405, "method_not_allowed"],
		["a wrong method on a static route", "PUT", "/v1/text", {}, 405, "method_not_allowed"],
		["a strange method", "PURGE", "/v1/things/a", {}, 405, "method_not_allowed"],
		["a NUL in the path", "GET", "/v1/things/%00", {}, 400, "malformed_url"],
		["bytes that are no UTF-8 in the path", "GET", "/v1/things/%ff", {}, 400, "malformed_url"],
		["a broken escape in the path", "GET", "/v1/things/%E0%A4%A", {}, 400, "malformed_url"],
		["a broken escape on a static route", "GET", "/v1/text?%", {}, 400, "malformed_url"],
		["a NUL in the query", "GET", "/v1/things/a?limit=%00", {}, 400, "malformed_url"],
		["a parameter too long", "GET", `/v1/things/${"a".repeat(21)}`, {}, 422, "validation_error"],
		["a query value out of range", "GET", "/v1/things/a?limit=201", {}, 422, "validation_error"],
		["no body", "POST", "/v1/things", {}, 422, "validation_error"],
		[
			"a wrong body",
			"POST",
			"/v1/things",
			{ body: '{"count":"c4n4ry"}', headers: json },
			422,
			"validation_error",
		],
		[
			"a body that ends early",
			"POST",
			"/v1/things",
			{ body: '{"count":', headers: json },
			400,
			"malformed_body",
		],
		[
			"a body with a NUL",
			"POST",
			"/v1/things",
			{ body: '{"count":"\\u0000"}', headers: json },
			400,
			"malformed_body",
		],
		[
			"a body without end",
			"POST",
			"/v1/things",
			{ body: "[".repeat(500_000), headers: json },
			400,
			"malformed_body",
		],
		[
			"a form",
			"POST",
			"/v1/things",
			{ body: new URLSearchParams({ count: "1" }) },
			415,
			"unsupported_media_type",
		],
		[
			"a multipart form",
			"POST",
			"/v1/things",
			{ body: new FormData() },
			415,
			"unsupported_media_type",
		],
		["a text", "POST", "/v1/things", { body: "x" }, 415, "unsupported_media_type"],
		[
			"a body too large",
			"POST",
			"/v1/things",
			{ body: `"${"x".repeat(1_048_576)}"`, headers: json },
			413,
			"body_too_large",
		],
		[
			"a body too large on a raw route",
			"POST",
			"/v1/raw",
			{ body: `"${"x".repeat(1_048_576)}"`, headers: json },
			413,
			"body_too_large",
		],
		["a thrown error", "GET", "/v1/throws", {}, 500, "internal_error"],
		["a rejected promise", "GET", "/v1/rejects", {}, 500, "internal_error"],
		["an answer against its schema", "GET", "/v1/bad-answer", {}, 500, "internal_error"],
		["an answer that is no JSON", "GET", "/v1/bigint", {}, 500, "internal_error"],
		["a bare status", "GET", "/v1/status-404", {}, 404, "not_found"],
		["a bare 500", "GET", "/v1/response-500", {}, 500, "internal_error"],
		["a fault", "GET", "/v1/unavailable", {}, 503, "unavailable"],
		["a stream without upgrade", "GET", "/v1/stream", {}, 426, "upgrade_required"],
		[
			"a foreign page's socket",
			"GET",
			"/v1/stream",
			{ headers: { upgrade: "websocket", origin: "https://evil.com" } },
			403,
			"origin_not_allowed",
		],
		[
			"a foreign page's cookie",
			"POST",
			"/v1/resync",
			{ headers: { cookie: "a=b", origin: "https://evil.com" } },
			403,
			"origin_not_allowed",
		],
		[
			"a foreign preflight",
			"OPTIONS",
			"/v1/things",
			{ headers: { origin: "https://evil.com", "access-control-request-method": "POST" } },
			403,
			"origin_not_allowed",
		],
	];

	// Guarantee: every failure has one form, and reveals nothing about the inside of the service.
	describe("every bad request gets the same shape of error [SEC-04]", () => {
		for (const [name, method, path, init, status, code] of bad) {
			test(`${name}: ${status} ${code}`, async () => {
				const response = await call(testHttpApp({ routes: [routes] }), method, path, init);
				expect(response.headers.get("content-type")).toBe("application/problem+json");
				const text = await response.text();
				const problem = JSON.parse(text);
				expect(problem).toMatchObject({ status, code, requestId: "request-1" });
				expect(response.status).toBe(status);
				expect(problem.type).toEndWith(`/problems/${code}`);
				expect(problem.message).toBe(problem.detail);
				expect(problem.title).toBeString();
				expect(text + JSON.stringify([...response.headers])).not.toContain("c4n4ry");
				expect(response.headers.get("x-request-id")).toBe("request-1");
				expect(response.headers.get("x-content-type-options")).toBe("nosniff");
				if (status === 503) expect(response.headers.get("retry-after")).toBeString();
			});
		}

		test("HEAD gets the same status and headers without a body", async () => {
			for (const [, method, path, init, status] of bad) {
				if (method !== "GET") continue;
				// A HEAD never becomes a socket, so those are tested with GET only.
				if (path === "/v1/stream") continue;
				const response = await call(testHttpApp({ routes: [routes] }), "HEAD", path, init);
				expect({ path, status: response.status, body: await response.text() }).toEqual({
					path,
					status,
					body: "",
				});
				expect(response.headers.get("content-type")).toBe("application/problem+json");
				expect(Number(response.headers.get("content-length"))).toBeGreaterThan(100);
			}
		});

		test("a validation error names each field and never the value", async () => {
			const response = await call(testHttpApp({ routes: [routes] }), "POST", "/v1/things", {
				body: '{"count":"c4n4ry"}',
				headers: json,
			});
			const problem = await response.json();
			expect(problem.issues).toEqual([{ path: "count", message: "must be a number" }]);
			expect(problem.detail).toBe("The body is not valid (count): must be a number");
		});

		test("a 405 and an OPTIONS answer list the allowed methods of the path", async () => {
			const app = testHttpApp({ routes: [routes] });
			expect((await call(app, "DELETE", "/v1/things/a")).headers.get("allow")).toBe(
				"GET, HEAD, OPTIONS",
			);
			const described = await call(app, "OPTIONS", "/v1/things");
			expect([described.status, described.headers.get("allow")]).toEqual([204, "OPTIONS, POST"]);
		});

		test("JSON errors of other protocols and web pages are not rewritten", async () => {
			const app = testHttpApp({ routes: [routes] });
			expect(await (await call(app, "GET", "/v1/json-400")).json()).toEqual({ jsonrpc: "2.0" });
			expect(await (await call(app, "GET", "/page")).text()).toBe("<p>gone</p>");
		});
	});

	describe("an unexpected error", () => {
		test("an unexpected error is logged once with stack and request id, and the answer shows no cause", async () => {
			const lines: [string, Record<string, unknown> | undefined][] = [];
			const log = {
				...silentLog,
				error: (message: string, context?: Record<string, unknown>) =>
					lines.push([message, context]),
			};
			const response = await call(testHttpApp({ routes: [routes], log }), "GET", "/v1/throws");
			expect(lines).toHaveLength(1);
			const context = lines[0]?.[1];
			expect(context).toMatchObject({ requestId: "request-1", method: "GET", route: "/v1/throws" });
			expect(context?.error instanceof Error && context.error.stack).toContain("c4n4ry");
			// Headers that the failed route had set are dropped.
			expect(response.headers.get("set-cookie")).toBeNull();
		});
	});

	const from = (address: string) => ({ headers: { "x-forwarded-for": address } });

	describe("a client has 600 requests a minute [SEC-02]", () => {
		test("the 601st is refused with the specified body, and other clients are not refused", async () => {
			const app = testHttpApp({ routes: [routes] });
			for (let request = 1; request <= 600; request += 1) {
				const response = await call(app, "GET", "/v1/text", from("198.51.100.1"));
				expect(response.status).toBe(200);
				expect(response.headers.get("ratelimit-remaining")).toBe(String(600 - request));
			}
			const refused = await call(app, "GET", "/v1/text", from("198.51.100.1"));
			expect(refused.status).toBe(429);
			const body = await refused.json();
			expect(body).toMatchObject({ code: "rate_limited", provider: "svc", status: 429 });
			expect(body.retryAfterMs).toBeWithin(1, 60_001);
			const seconds = Math.ceil(body.retryAfterMs / 1000);
			expect(body.message).toBe(`Rate limit exceeded: retry in ${seconds} seconds.`);
			expect(refused.headers.get("retry-after")).toBe(String(seconds));
			expect(refused.headers.get("ratelimit-limit")).toBe("600");
			expect(refused.headers.get("ratelimit-remaining")).toBe("0");
			expect((await call(app, "GET", "/v1/text", from("198.51.100.2"))).status).toBe(200);
			expect((await call(app, "GET", "/healthz", from("198.51.100.1"))).status).toBe(200);
		});

		test("entries that a client adds to the header itself do not give it another bucket", async () => {
			const app = testHttpApp({ routes: [routes] });
			for (let request = 1; request <= 600; request += 1) {
				await call(app, "GET", "/v1/text", from(`203.0.113.${request % 256}, 198.51.100.1`));
			}
			const refused = await call(app, "GET", "/v1/text", from("9.9.9.9, 198.51.100.1"));
			expect(refused.status).toBe(429);
		});

		test("every request under /v1 counts once, and no other request counts", async () => {
			const counted: [string, string, RequestInit, number][] = [
				["GET", "/v1/text", {}, 1],
				["GET", "/v1/nope", {}, 1],
				["GET", "/v1", {}, 1],
				["DELETE", "/v1/text", {}, 1],
				["HEAD", "/v1/text", {}, 1],
				["POST", "/v1/things", { body: "{", headers: json }, 1],
				["GET", "/v1/things/%ff", {}, 1],
				["GET", "/v1/stream", { headers: { upgrade: "websocket" } }, 1],
				["OPTIONS", "/v1/things", {}, 1],
				[
					"OPTIONS",
					"/v1/things",
					{ headers: { origin: "https://app.example", "access-control-request-method": "POST" } },
					0,
				],
				["GET", "/v1x", {}, 0],
				["GET", "/healthz", {}, 0],
				["GET", "/readyz", {}, 0],
				["GET", "/metrics", {}, 0],
				["GET", "/openapi/json", {}, 0],
			];
			for (const [method, path, init, expected] of counted) {
				let taken = 0;
				const limiter = {
					take: async () => {
						taken += 1;
						return { allowed: true, limit: 600, remaining: 1, resetMs: 1, retryAfterMs: 0 };
					},
				};
				await call(testHttpApp({ routes: [routes], limiter }), method, path, init);
				expect({ method, path, taken }).toEqual({ method, path, taken: expected });
			}
		});

		test("a route can read the client's address", async () => {
			const app = testHttpApp({ routes: [routes] });
			expect(await (await call(app, "GET", "/v1/context", from("198.51.100.7"))).text()).toBe(
				"198.51.100.7",
			);
			const posted = await call(app, "POST", "/v1/raw", { body: '"four"', headers: json });
			expect(await posted.json()).toEqual({ length: 6 });
		});
	});

	describe("pages of other origins [SEC-03]", () => {
		const allowed = { origin: "https://app.example" };

		test("an allowed page's preflight and request are let through", async () => {
			const app = testHttpApp({ routes: [routes] });
			const preflight = await call(app, "OPTIONS", "/v1/things", {
				headers: { ...allowed, "access-control-request-method": "POST" },
			});
			expect(preflight.status).toBe(204);
			expect(preflight.headers.get("access-control-allow-origin")).toBe("https://app.example");
			const response = await call(app, "GET", "/v1/text", { headers: allowed });
			expect(response.headers.get("access-control-allow-origin")).toBe("https://app.example");
			expect(response.headers.get("vary")).toBe("Origin");
		});

		test("an allowed page can read the error when it is refused", async () => {
			const response = await call(testHttpApp({ routes: [routes] }), "GET", "/v1/nope", {
				headers: allowed,
			});
			expect(response.headers.get("access-control-allow-origin")).toBe("https://app.example");
		});

		const unsafe: [name: string, headers: Record<string, string>, status: number][] = [
			["a cookie from an allowed page", { cookie: "a=b", ...allowed }, 202],
			[
				"a cookie from our own page",
				{ cookie: "a=b", origin: "http://localhost", host: "localhost" },
				202,
			],
			["a cookie without origin", { cookie: "a=b" }, 403],
			["a cookie from a sandboxed frame", { cookie: "a=b", origin: "null" }, 403],
			["a cookie from elsewhere", { cookie: "a=b", origin: "https://evil.com" }, 403],
			[
				"a bearer token from elsewhere",
				{ authorization: "Bearer x", origin: "https://evil.com" },
				202,
			],
			["neither", {}, 202],
		];
		for (const [name, headers, status] of unsafe) {
			test(`an unsafe request with ${name} is answered ${status}`, async () => {
				const response = await call(testHttpApp({ routes: [routes] }), "POST", "/v1/resync", {
					headers,
				});
				expect(response.status).toBe(status);
			});
		}

		const seen: [name: string, headers: Record<string, string>, cookie: string][] = [
			["a page of another origin", { origin: "https://evil.com" }, "none"],
			["a sandboxed frame", { origin: "null" }, "none"],
			["an allowed page", allowed, "a=b"],
			["a page of ours", { origin: "http://localhost", host: "localhost" }, "a=b"],
		];
		for (const [name, headers, cookie] of seen) {
			test(`a public route gets ${cookie === "none" ? "no" : "the"} cookie from ${name}`, async () => {
				const open = new Elysia().post(
					"/v1/open",
					({ request }) => ({ cookie: request.headers.get("cookie") ?? "none" }),
					{ detail: canBeReadByAnyPage() },
				);
				const response = await call(testHttpApp({ routes: [open] }), "POST", "/v1/open", {
					headers: { ...headers, ...json, cookie: "a=b" },
					body: "{}",
				});
				expect([response.status, await response.json()]).toEqual([200, { cookie }]);
			});
		}

		test("a safe request with a cookie needs no origin", async () => {
			const response = await call(testHttpApp({ routes: [routes] }), "GET", "/v1/text", {
				headers: { cookie: "a=b" },
			});
			expect(response.status).toBe(200);
		});
	});

	describe("every answer", () => {
		test("every answer carries the request's id, from the client or new", async () => {
			const app = testHttpApp({ routes: [routes] });
			expect((await call(app, "GET", "/v1/text")).headers.get("x-request-id")).toBe("request-1");
			const kept = await call(app, "GET", "/v1/nope", { headers: { "x-request-id": "mine.1" } });
			expect(kept.headers.get("x-request-id")).toBe("mine.1");
			expect(await kept.json()).toMatchObject({ requestId: "mine.1" });
		});

		test("every answer has the sandbox header in the sandbox, and only there", async () => {
			const real = await call(testHttpApp({ routes: [routes] }), "GET", "/v1/text");
			expect(real.headers.has("x-svc-sandbox")).toBe(false);
			const sandbox = await call(
				testHttpApp({ routes: [routes], sandbox: true }),
				"GET",
				"/v1/nope",
			);
			expect(sandbox.headers.get("x-svc-sandbox")).toBe("true");
		});

		test("an answer to HEAD has the length of the GET and no body", async () => {
			const app = testHttpApp({ routes: [routes] });
			const response = await call(app, "HEAD", "/v1/text");
			expect([
				response.status,
				response.headers.get("content-length"),
				await response.text(),
			]).toEqual([200, "5", ""]);
		});
	});

	test("metrics are labelled with the route's pattern, never with the path", async () => {
		const metrics = createMetrics();
		const app = testHttpApp({ routes: [routes], metrics });
		await call(app, "GET", "/v1/things/c4n4ry");
		await call(app, "GET", "/v1/things/c4n4ry?limit=999");
		await call(app, "POST", "/v1/things", { body: "{", headers: json });
		await call(app, "GET", "/v1/c4n4ry");
		await call(app, "PURGE", "/v1/text");
		const text = await (await call(app, "GET", "/metrics")).text();
		const count = (labels: string) =>
			text.includes(`tapeline_http_request_duration_seconds_count{${labels}} 1\n`);
		expect(count('route="/v1/things/:id",method="GET",status_class="2xx"')).toBe(true);
		expect(count('route="/v1/things/:id",method="GET",status_class="4xx"')).toBe(true);
		expect(count('route="/v1/things",method="POST",status_class="4xx"')).toBe(true);
		expect(count('route="unmatched",method="GET",status_class="4xx"')).toBe(true);
		expect(count('route="/v1/text",method="other",status_class="4xx"')).toBe(true);
		expect(text).not.toContain("c4n4ry");
		// The request for metrics is itself in flight.
		expect(text).toContain("tapeline_http_requests_in_flight 1");
	});
});

describe("operationsRoutes", () => {
	type TestApp = ReturnType<typeof testHttpApp>;
	const get = (app: TestApp, path: string) => app.handle(new Request(`http://localhost${path}`));

	test("healthz returns version, sandbox and what the process adds", async () => {
		const app = testHttpApp({ sandbox: true, health: async () => ({ status: "ok", role: "api" }) });
		const response = await get(app, "/healthz");
		expect(response.status).toBe(200);
		expect(await response.json()).toEqual({
			status: "ok",
			role: "api",
			version: "0.0.0-test",
			sandbox: true,
		});
	});

	// Guarantee: an unreachable database never makes a live process look dead.
	test("healthz answers while the readiness check hangs", async () => {
		const app = testHttpApp({ ready: () => new Promise(() => {}) });
		expect((await get(app, "/healthz")).status).toBe(200);
	});

	test("readyz lists the components, with 200 or 503", async () => {
		const database = { name: "database", ready: true };
		const lanes = { name: "lanes", ready: false, detail: "behind" };
		const up = await get(
			testHttpApp({ ready: async () => ({ ready: true, components: [database], degraded: [] }) }),
			"/readyz",
		);
		expect([up.status, await up.json()]).toEqual([
			200,
			{ status: "ready", components: [database], degraded: [] },
		]);
		const down = await get(
			testHttpApp({
				ready: async () => ({ ready: false, components: [database, lanes], degraded: [] }),
			}),
			"/readyz",
		);
		expect(down.status).toBe(503);
		expect(down.headers.get("content-type")).toBe("application/problem+json");
		expect(down.headers.get("retry-after")).toBe("5");
		expect(await down.json()).toMatchObject({
			code: "not_ready",
			detail: "Not ready: lanes.",
			components: [database, lanes],
		});
	});

	test("readyz lists what is degraded, and still answers 200", async () => {
		const stuck = { component: "a", code: "stuck", count: 2, oldestAgeSeconds: 5, action: "Look." };
		const degraded = await get(
			testHttpApp({ ready: async () => ({ ready: true, components: [], degraded: [stuck] }) }),
			"/readyz",
		);
		expect([degraded.status, await degraded.json()]).toEqual([
			200,
			{ status: "ready", components: [], degraded: [stuck] },
		]);
	});

	test("a check that throws gives not ready, and its error stays in the log [SEC-07]", async () => {
		const response = await get(
			testHttpApp({ ready: () => Promise.reject(new Error("postgres://u:c4n4ry@db refused")) }),
			"/readyz",
		);
		expect(response.status).toBe(503);
		const text = await response.text();
		expect(text).toContain('"detail":"failed"');
		expect(text).not.toContain("c4n4ry");
	});

	const alone = (options: Partial<OperationsOptions>) =>
		operationsRoutes({
			log: silentLog,
			metrics: createMetrics(),
			version: "0",
			sandbox: false,
			health: async () => ({ status: "ok" }),
			ready: async () => ({ ready: true, components: [], degraded: [] }),
			draining: () => false,
			...options,
		});

	test("a check that hangs gives not ready after its time limit", async () => {
		const thrown: unknown[] = [];
		const app = new Elysia().onError(({ error }) => {
			thrown.push(error);
			return "";
		});
		app.use(alone({ ready: () => new Promise(() => {}), readyTimeoutMs: 1 }));
		await app.handle(new Request("http://localhost/readyz"));
		expect(thrown).toMatchObject([
			{ code: "not_ready", members: { components: [{ name: "check", detail: "timed out" }] } },
		]);
	});

	test("simultaneous requests share one check, and a later request checks again", async () => {
		let checks = 0;
		const routes = alone({
			ready: async () => {
				checks += 1;
				return { ready: true, components: [], degraded: [] };
			},
		});
		const ask = () => routes.handle(new Request("http://localhost/readyz"));
		await Promise.all([ask(), ask(), ask()]);
		expect(checks).toBe(1);
		await ask();
		expect(checks).toBe(2);
	});

	test("metrics answers with Prometheus' content type", async () => {
		const response = await get(testHttpApp(), "/metrics");
		expect(response.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
		expect(await response.text()).toContain(
			"# TYPE tapeline_http_request_duration_seconds histogram",
		);
	});
});
