import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import fc from "fast-check";
import { createSlots } from "#core/http/allowance.ts";
import { readCapped } from "#core/http/call.ts";
import { contentOf } from "#core/http/content.ts";
import { admitBody, createGate, type GateOptions } from "#core/http/createGate.ts";
import { createOriginPolicy } from "#core/http/createOriginPolicy.ts";
import type { ObservedRequest } from "#core/http/createRequestObserver.ts";
import { createRouteTable } from "#core/http/createRouteTable.ts";
import { httpFault } from "#core/http/faults.ts";
import { type HttpListener, listenHttp } from "#core/http/listenHttp.ts";
import { requestContexts } from "#core/http/requests.ts";
import { canBeCached, SIGNED_MEMBER } from "#core/http/routeMarks.ts";
import { type RawAnswer, rawConnection } from "#core/http/testing/rawConnection.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log.ts";

describe("admitBody", () => {
	const MIB = 1_048_576;

	function post(
		body: BodyInit | null,
		headers: Record<string, string> = { "content-type": "application/json" },
	) {
		return new Request("http://localhost/v1/x", { method: "POST", body, headers });
	}

	async function codeOf(request: Request): Promise<string> {
		try {
			await admitBody(request, { url: request.url });
			return "admitted";
		} catch (error) {
			return error instanceof Object && "code" in error ? String(error.code) : String(error);
		}
	}

	/** Makes a body like a chunked upload, whose length is not known in advance. */
	function stream(chunks: number, chunkBytes: number, onRead = () => {}) {
		let sent = 0;
		return new ReadableStream<Uint8Array>({
			pull(controller) {
				onRead();
				if (sent === chunks) controller.close();
				else controller.enqueue(new Uint8Array(chunkBytes).fill(0x20));
				sent += 1;
			},
		});
	}

	test("the admitted request keeps its body, method, headers and URL", async () => {
		const text = '{"a": "ü\\ud83d\\ude00"}\n';
		const admitted = await admitBody(
			post(text, { "content-type": "Application/JSON; charset=utf-8", "x-a": "b" }),
			{ url: "http://localhost/v1/y" },
		);
		expect(await admitted.text()).toBe(text);
		expect(admitted.url).toBe("http://localhost/v1/y");
		expect(admitted.method).toBe("POST");
		expect(admitted.headers.get("x-a")).toBe("b");
		expect(admitted.headers.get("content-type")).toBe("application/json");
	});

	test("a body of one mebibyte is admitted and one byte more is not [SEC-04]", async () => {
		expect(await codeOf(post(`"${"x".repeat(MIB - 2)}"`))).toBe("admitted");
		expect(await codeOf(post(`"${"x".repeat(MIB - 1)}"`))).toBe("body_too_large");
	});

	test("a webhook's body is admitted up to a quarter of that size", async () => {
		const url = "http://localhost/v1/x";
		const body = (bytes: number) => post(`"${"x".repeat(bytes - 2)}"`);
		expect((await admitBody(body(MIB / 4), { url, isSigned: true })).url).toBe(url);
		for (const bytes of [MIB / 4 + 1, MIB]) {
			const refused = admitBody(body(bytes), { url, isSigned: true });
			expect(refused).rejects.toMatchObject({ code: "body_too_large" });
		}
		const chunked = post(stream(3, MIB / 8));
		expect(admitBody(chunked, { url, isSigned: true })).rejects.toMatchObject({
			publicDetail: "The body is larger than 256 KiB.",
		});
	});

	test("a declared length above the limit is refused before a byte is read", async () => {
		let reads = 0;
		const body = stream(1, 10, () => {
			reads += 1;
		});
		const request = post(body, {
			"content-type": "application/json",
			"content-length": String(MIB + 1),
		});
		expect(await codeOf(request)).toBe("body_too_large");
		// The stream itself requests its first chunk, even if nothing reads it.
		expect(reads).toBeLessThanOrEqual(1);
	});

	// Guarantee: an endless upload costs one mebibyte.
	test("a stream without a length is read only up to the limit", async () => {
		let reads = 0;
		const body = stream(Number.POSITIVE_INFINITY, 64 * 1024, () => {
			reads += 1;
		});
		expect(await codeOf(post(body))).toBe("body_too_large");
		expect(reads).toBeLessThan(25);
	});

	test("a request without a body needs no content type", async () => {
		expect(await codeOf(post(null, {}))).toBe("admitted");
		expect(await codeOf(post("", {}))).toBe("admitted");
	});

	const types = [
		"text/plain",
		"application/x-www-form-urlencoded",
		"multipart/form-data; boundary=x",
		"application/jsonp",
		"application/xml",
		"json",
	];
	for (const type of types) {
		test(`a body of type ${type} is refused, because forms of other sites can send it`, async () => {
			expect(await codeOf(post('{"a":1}', { "content-type": type }))).toBe(
				"unsupported_media_type",
			);
		});
	}

	test("a body that is not UTF-8, too deep or contains NUL is malformed", async () => {
		expect(await codeOf(post(new Uint8Array([0x22, 0xff, 0x22])))).toBe("malformed_body");
		expect(await codeOf(post("[".repeat(100_000)))).toBe("malformed_body");
		expect(await codeOf(post('"\\u0000"'))).toBe("malformed_body");
	});

	test("the admitted request is still aborted when the client disconnects", async () => {
		const leaving = new AbortController();
		const request = new Request("http://localhost/", {
			method: "POST",
			body: "{}",
			headers: { "content-type": "application/json" },
			signal: leaving.signal,
		});
		const admitted = await admitBody(request, { url: request.url });
		leaving.abort();
		expect(admitted.signal.aborted).toBe(true);
	});
});

describe("createGate.sockets", () => {
	const REQUESTS = 10_000;
	const CONNECTIONS = 16;

	/** What the executed route saw, by request id. */
	const ran = new Map<string, { route: string; path: string; url: string; body: unknown }>();
	/** The route, or the path, of the gate's decision, from its log. */
	const decided = new Map<string, { place: string; status: number }>();
	/** Clients whose allowance was charged. */
	const paid = new Set<string>();

	type Seen = { request: Request; route: string; path: string; body?: unknown };

	function answer({ request, route, path, body }: Seen) {
		const context = requestContexts.get(request);
		if (!context) throw new Error("a route ran outside the gate");
		ran.set(context.requestId, { route, path, url: request.url, body });
		const content = contentOf(JSON.stringify({ repeated: route }));
		context.repeat = () => ({ content, headers: { "content-type": "application/json" } });
		return { ran: route };
	}

	const routes = new Elysia({ detail: canBeCached() })
		.get("/", answer)
		.get("/v1/page", answer)
		.get("/v1/a/:id", answer)
		.post("/v1/a/:id", answer)
		.put("/v1/a/:id/b", answer)
		.get("/a/v1/page", answer)
		.get("/files/*", answer)
		.get("/v1/opt/:x?", answer)
		.delete("/v1/page", answer);

	let listener: HttpListener;
	beforeAll(async () => {
		const log = {
			...silentLog,
			debug(message: string, about: Record<string, unknown> = {}) {
				if (message !== "request") return;
				const { requestId, route, path, status } = about;
				const place = String(route ?? path);
				decided.set(String(requestId), { place, status: Number(status) });
			},
		};
		const taken = { allowed: true, limit: 9, remaining: 8, resetMs: 1_000, retryAfterMs: 0 };
		const takeNow = (client: string) => {
			paid.add(client);
			return taken;
		};
		const app = testHttpApp({
			log,
			routes: [routes],
			limiter: { takeNow, take: async (client) => takeNow(client) },
		});
		listener = await listenHttp(app, { host: "127.0.0.1", port: 0, log });
	});
	afterAll(() => listener.stop());

	const hosts = ["a", "x", "ab", "abc", "abcd", "localhost", "1.2.3.4", "[::1]", "a:1", "x:80"];
	const goodHost = fc.oneof(
		fc.constantFrom(...hosts, "[::1]:80", "EXAMPLE.com", "example.com.", "ab:", "xy.z:8080"),
		fc.stringMatching(/^[a-z]{1,4}$/),
	);
	const badHost = fc.oneof(
		fc.constantFrom(
			"",
			"x y",
			"x/y",
			"u@x",
			"u:p@x",
			"x?y",
			"x#y",
			"x\\y",
			"a:b",
			"a:99999",
			":80",
		),
		fc.constantFrom(
			"[::1",
			"x%2fy",
			"a%00",
			"a,b",
			"a, b",
			"a\r\nHost: b",
			"xn--a",
			"\xe9",
			"http://a",
		),
		fc.stringMatching(/^[!-~]{0,6}$/),
	);
	const host = fc.oneof({ weight: 3, arbitrary: goodHost }, { weight: 2, arbitrary: badHost });

	const known = ["/", "/v1/page", "/v1/a/1", "/v1/a/1/b", "/a/v1/page", "/files/x/y", "/v1/opt"];
	const lead = fc.oneof(
		{ weight: 4, arbitrary: fc.constant("") },
		{
			weight: 3,
			arbitrary: fc.constantFrom(
				"/a",
				"/aa",
				"/aaa",
				"/",
				"//",
				"/.",
				"/..",
				"/%2e%2e",
				"/\\",
				"/x",
			),
		},
		{
			weight: 1,
			arbitrary: fc.constantFrom(
				"http://e",
				"http://evil.example:1",
				"https://x",
				"HTTP://u@x",
				"x",
			),
		},
	);
	const tail = fc.oneof(
		{ weight: 4, arbitrary: fc.constant("") },
		{
			weight: 3,
			arbitrary: fc.constantFrom(
				"/",
				"//",
				"?",
				"?q=1",
				"??",
				"?/v1/page",
				"#",
				"#/v1/page",
				"?a#b",
			),
		},
		{
			weight: 2,
			arbitrary: fc.constantFrom(
				"\\",
				"/%2f",
				"%2f",
				"%00",
				"%ff",
				"%",
				";a=b",
				"/..",
				"/.",
				"/%2E",
			),
		},
		{ weight: 1, arbitrary: fc.stringMatching(/^[!-~]{1,8}$/) },
	);
	const target = fc.oneof(
		{
			weight: 20,
			arbitrary: fc.tuple(lead, fc.constantFrom(...known), tail).map((parts) => parts.join("")),
		},
		{ weight: 1, arbitrary: fc.constantFrom("*", "a:80", "v1/page", "?x", "mailto:a", "/v1") },
		{ weight: 1, arbitrary: fc.stringMatching(/^[/\\%.?#a-v1:@]{1,12}$/) },
	);
	const body = fc.constantFrom(
		{ type: "application/json", text: '{"a":1}' },
		{ type: "application/json", text: "[".repeat(20_000) },
		{ type: "application/x-www-form-urlencoded", text: "a=1" },
		{ type: "text/plain", text: "{}" },
		null,
	);
	const method = fc.oneof(
		{ weight: 5, arbitrary: fc.constant("GET") },
		{
			weight: 4,
			arbitrary: fc.constantFrom("POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "CONNECT"),
		},
	);
	const version = fc.oneof(
		{ weight: 9, arbitrary: fc.constant("1.1") },
		{ weight: 1, arbitrary: fc.constantFrom("1.0", "1.0 without a host") },
	);
	const hostile = fc.record({ method, host, target, version, body });
	type Hostile = typeof hostile extends fc.Arbitrary<infer Value> ? Value : never;

	const addressOf = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;

	function bytesOf({ method, host, target, version, body }: Hostile, index: number): string {
		const [number = "", ...without] = version.split(" ");
		const sent = method === "GET" || method === "HEAD" ? null : body;
		return [
			`${method} ${target} HTTP/${number}`,
			...(without.length > 0 ? [] : [`Host: ${host}`]),
			`X-Request-Id: r${index}`,
			`X-Forwarded-For: ${addressOf(index)}`,
			...(sent ? [`Content-Type: ${sent.type}`] : []),
			...(method === "GET" ? [] : [`Content-Length: ${sent?.text.length ?? 0}`]),
			"",
			sent?.text ?? "",
		].join("\r\n");
	}

	/** Returns true for an ordinary request, except that its host may be short. */
	function isPlain({ method, host, target, version }: Hostile): boolean {
		const isGet = method === "GET" && version === "1.1" && target !== "/v1/a/1/b";
		return isGet && known.includes(target) && /^[a-z]{1,9}$/.test(host);
	}

	/** Returns what is wrong with the handling of a request; undefined where gate and route agree. */
	function flawOf(index: number, asked: Hostile, got: RawAnswer | null): string | undefined {
		const id = `r${index}`;
		const route = ran.get(id);
		const gate = decided.get(id);
		if ((got?.status ?? 0) >= 500 && got?.status !== 505) return "it is answered with a 5xx";
		if (gate === undefined) return route ? "a route ran that the gate did not see" : undefined;
		const hasPaid = paid.has(addressOf(index));
		const isUnderV1 = /^\/v1(\/|$)/.test(gate.place);
		if (isUnderV1 && gate.status !== 404 && !hasPaid) return "it cost its client nothing";
		if (isPlain(asked) && got?.status !== 200) return "a plain request for a short host is refused";
		const repeated = /^{"repeated":"(.*)"}$/.exec(got?.body ?? "")?.[1];
		if (repeated !== undefined && repeated !== gate.place)
			return "another route's page is repeated";
		if (route === undefined) return undefined;
		if (route.route !== gate.place)
			return "the gate decided by another route than the one that ran";
		if (/^\/v1(\/|$)/.test(route.path) !== hasPaid) return "the allowance is another path's";
		if (URL.parse(route.url)?.pathname !== route.path) return "the route's URL has another path";
		const { type, text } = asked.body ?? {};
		if (asked.method !== "POST" || !text) return undefined;
		if (type !== "application/json") return "a body that is no JSON reached a route";
		return text.length > 1_000 ? "a body without end reached a route" : undefined;
	}

	// Guarantee: no request makes the gate judge one path and the framework run another.
	test("for 10,000 hostile requests, the gate decides by the route that would run", async () => {
		const requests = fc.sample(hostile, REQUESTS);
		const flaws: unknown[] = [];
		let next = 0;
		async function work() {
			const connection = rawConnection(listener.port);
			for (let index = next++; index < requests.length; index = next++) {
				const asked = requests[index];
				if (!asked) break;
				const isHead = asked.method === "HEAD";
				const got = await connection.ask(bytesOf(asked, index), { hasNoBody: isHead });
				// Bun treats bytes after a CONNECT as the tunnel's.
				if (asked.method === "CONNECT") connection.close();
				const flaw = flawOf(index, asked, got);
				if (flaw !== undefined) flaws.push({ flaw, ...asked, gate: decided.get(`r${index}`), got });
			}
			connection.close();
		}
		await Promise.all(Array.from({ length: CONNECTIONS }, work));
		expect(flaws.slice(0, 5)).toEqual([]);
		// The property is meaningful: routes of every kind ran, and the gate saw most of the rest.
		const routesRun = new Set([...ran.values()].map(({ route }) => route));
		expect(routesRun.size).toBe(7);
		expect(ran.size).toBeGreaterThan(REQUESTS / 20);
		expect(decided.size).toBeGreaterThan(REQUESTS / 2);
	});
});

describe("createGate", () => {
	function gateUnderTest(options: Partial<GateOptions> = {}) {
		const ended: ObservedRequest[] = [];
		let inFlight = 0;
		const gate = createGate({
			log: silentLog,
			clock: { nowMs: () => 0 },
			limiter: {
				take: async () => ({ allowed: true, limit: 1, remaining: 0, resetMs: 1, retryAfterMs: 0 }),
			},
			origins: createOriginPolicy({ allowedOrigins: [] }),
			observer: {
				began: () => {
					inFlight += 1;
				},
				repeats: () => () => {},
				ended: (observed) => {
					inFlight -= 1;
					ended.push(observed);
				},
			},
			trustedProxyHops: 0,
			proxies: { hasEveryPeer: true, has: () => true, refuse: () => {} },
			sandbox: false,
			newRequestId: () => "r",
			draining: () => false,
			table: () =>
				createRouteTable([
					{ method: "GET", path: "/v1/a/:id" },
					{ method: "POST", path: "/v1/a/:id" },
					{ method: "WS", path: "/v1/stream" },
				]),
			socketAddress: () => "203.0.113.7",
			setIdleSeconds: () => {},
			slots: createSlots(),
			...options,
		});
		return { gate, ended, inFlight: () => inFlight };
	}

	const get = (path = "/v1/a/1", init: RequestInit = {}) =>
		new Request(`http://localhost${path}`, init);

	describe("the gate answers and counts once, whatever Elysia does", () => {
		const outcomes: [name: string, next: (request: Request) => unknown, status: number][] = [
			["an answer", () => new Response("x"), 200],
			["a promise of one", async () => new Response("x", { status: 201 }), 201],
			["nothing", () => undefined, 204],
			[
				"a thrown error",
				() => {
					throw new Error("x");
				},
				500,
			],
			[
				"a thrown text",
				() => {
					throw "x";
				},
				500,
			],
			["a rejection", () => Promise.reject(httpFault.conflict()), 409],
			["a text error", () => new Response("NOT_FOUND", { status: 404 }), 404],
		];
		for (const [name, next, status] of outcomes) {
			test(`${name}: ${status}`, async () => {
				const { gate, ended, inFlight } = gateUnderTest();
				const response = await gate(next, get());
				expect(response?.status).toBe(status);
				expect(ended).toMatchObject([
					{ status, pattern: "/v1/a/:id", context: { target: { path: "/v1/a/1" } } },
				]);
				expect(inFlight()).toBe(0);
			});
		}

		test("a fault found on the way replaces the answer that came with it", async () => {
			const { gate } = gateUnderTest();
			const next = (request: Request) => {
				const context = requestContexts.get(request);
				if (context) context.fault = httpFault.conflict();
				return new Response("half an answer");
			};
			expect((await gate(next, get()))?.status).toBe(409);
		});
	});

	describe("a request that is refused never reaches a route", () => {
		const refused: [
			name: string,
			request: Request,
			options: Partial<GateOptions>,
			status: number,
		][] = [
			[
				"over its limit",
				get(),
				{
					limiter: {
						take: async () => ({
							allowed: false,
							limit: 1,
							remaining: 0,
							resetMs: 1,
							retryAfterMs: 1,
						}),
					},
				},
				429,
			],
			["malformed", get("/v1/a/%ff"), {}, 400],
			["with a fragment", get("/v1/a/1#b"), {}, 400],
			["for two hosts", get("/v1/a/1", { headers: { host: "a, b" } }), {}, 400],
			["for no known address", get("/v1/nowhere"), {}, 404],
			["of an unknown method", get("/v1/a/1", { method: "PUT" }), {}, 405],
			[
				"with a foreign cookie",
				get("/v1/a/1", { method: "POST", headers: { cookie: "a=b" } }),
				{},
				403,
			],
			[
				"for a socket during a drain",
				get("/v1/stream", { headers: { upgrade: "websocket" } }),
				{ draining: () => true },
				503,
			],
			[
				"for a socket of another page",
				get("/v1/stream", { headers: { upgrade: "websocket", origin: "https://evil.com" } }),
				{},
				403,
			],
		];
		for (const [name, request, options, status] of refused) {
			test(`${name}: ${status}`, async () => {
				let reached = false;
				const { gate } = gateUnderTest(options);
				const response = await gate(() => {
					reached = true;
				}, request);
				expect([response?.status, reached]).toEqual([status, false]);
			});
		}
	});

	test("an upgraded socket counts as 101, without an answer", async () => {
		const { gate, ended } = gateUnderTest();
		const request = get("/v1/stream", { headers: { upgrade: "websocket" } });
		// Elysia answers an empty 200 after a successful upgrade.
		expect(await gate(() => new Response(""), request)).toBeUndefined();
		expect(ended).toMatchObject([{ status: 101, pattern: "/v1/stream" }]);
		expect(requestContexts.get(request)?.upgraded).toBe(true);
	});

	test("a route with a body can keep its connection open, through its copy of the request", async () => {
		const asked: [Request, number][] = [];
		const { gate } = gateUnderTest({
			setIdleSeconds: (request, seconds) => asked.push([request, seconds]),
		});
		const request = get("/v1/a/1", {
			method: "POST",
			body: "{}",
			headers: { "content-type": "application/json" },
		});
		await gate((copy) => {
			expect(copy).not.toBe(request);
			requestContexts.get(copy)?.keepOpen(120);
			return new Response("x");
		}, request);
		expect(asked[0]?.[0]).toBe(request);
		expect(asked[0]?.[1]).toBe(120);
	});

	test("HEAD reaches the GET route of its path", async () => {
		const { gate } = gateUnderTest();
		let method = "";
		await gate(
			(request) => {
				method = request.method;
				return new Response("x");
			},
			get("/v1/a/1", { method: "HEAD" }),
		);
		expect(method).toBe("GET");
	});

	describe("a webhook's request costs its sender allowance only if it is refused", () => {
		const refusing: GateOptions["limiter"] = {
			take: async () => ({ allowed: false, limit: 1, remaining: 0, resetMs: 1, retryAfterMs: 1 }),
		};
		const hook = (method = "POST") => get("/v1/hook", { method });
		const outcomes: [name: string, request: Request, next: () => unknown, status: number][] = [
			["accepted", hook(), () => new Response("x"), 200],
			["refused by an answer", hook(), () => Response.json({}, { status: 401 }), 429],
			["refused by a fault", hook(), () => Promise.reject(httpFault.conflict()), 429],
			["a read of its address", hook("GET"), () => new Response("x"), 429],
			["a HEAD of its address", hook("HEAD"), () => new Response("x"), 429],
			["what its address knows", hook("OPTIONS"), () => new Response("x"), 429],
			["another method", hook("PUT"), () => new Response("x"), 429],
			["an ordinary post", get("/v1/a/1", { method: "POST" }), () => new Response("x"), 429],
		];
		for (const [name, request, next, status] of outcomes) {
			test(`${name}: ${status} where the allowance is used up`, async () => {
				const { gate } = gateUnderTest({
					limiter: refusing,
					table: () =>
						createRouteTable([
							{ method: "POST", path: "/v1/hook", hooks: { detail: { [SIGNED_MEMBER]: true } } },
							{ method: "GET", path: "/v1/hook" },
							{ method: "POST", path: "/v1/a/:id" },
						]),
				});
				expect((await gate(next, request))?.status).toBe(status);
			});
		}

		test("a body that is too large and a malformed address are refused, and each counts once", async () => {
			let taken = 0;
			const { gate } = gateUnderTest({
				limiter: {
					take: async () => {
						taken += 1;
						return { allowed: true, limit: 1, remaining: 0, resetMs: 1, retryAfterMs: 0 };
					},
				},
				table: () =>
					createRouteTable([
						{ method: "POST", path: "/v1/hook", hooks: { detail: { [SIGNED_MEMBER]: true } } },
					]),
			});
			const body = " ".repeat(262_145);
			const headers = { "content-type": "application/json" };
			const request = get("/v1/hook", { method: "POST", body, headers });
			expect((await gate(() => new Response("x"), request))?.status).toBe(413);
			expect(taken).toBe(1);
			const malformed = get("/v1/hook?x=%", { method: "POST" });
			expect((await gate(() => new Response("x"), malformed))?.status).toBe(400);
			expect(taken).toBe(2);
		});
	});
});

describe("readCapped", () => {
	function endless(chunkBytes: number) {
		const state = { pulled: 0, isCancelled: false };
		const body = new ReadableStream<Uint8Array>({
			pull(controller) {
				state.pulled += 1;
				controller.enqueue(new Uint8Array(chunkBytes).fill(0x20));
			},
			cancel() {
				state.isCancelled = true;
			},
		});
		return { state, response: new Response(body) };
	}

	test("an answer is read up to its limit, and one byte more gives null", async () => {
		expect(await readCapped(new Response("héllo"), 6)).toBe("héllo");
		expect(await readCapped(new Response("héllo"), 5)).toBeNull();
		expect(await readCapped(new Response(null), 5)).toBe("");
	});

	test("an endless answer is given up at the limit, and its connection released", async () => {
		const { state, response } = endless(1_000);
		expect(await readCapped(response, 10_000)).toBeNull();
		expect(state.pulled).toBeLessThan(20);
		expect(state.isCancelled).toBe(true);
	});

	test("an answer whose announced length is too long is not read", async () => {
		const { state, response } = endless(1_000);
		response.headers.set("content-length", "10001");
		expect(await readCapped(response, 10_000)).toBeNull();
		expect(state.pulled).toBeLessThan(2);
		expect(state.isCancelled).toBe(true);
	});
});
