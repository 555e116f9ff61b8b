import { describe, expect, test } from "bun:test";
import { createGate, type GateOptions } from "#core/http/createGate.ts";
import { createOriginPolicy } from "#core/http/createOriginPolicy.ts";
import type { ObservedRequest } from "#core/http/createRequestObserver.ts";
import { createRouteTable } from "#core/http/createRouteTable.ts";
import { httpFault } from "#core/http/httpFault.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import { SIGNED_MEMBER } from "#core/http/takesSigned.ts";
import { silentLog } from "#core/log/silentLog.ts";

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
		...options,
	});
	return { gate, ended, inFlight: () => inFlight };
}

const get = (path = "/v1/a/1", init: RequestInit = {}) =>
	new Request(`http://localhost${path}`, init);

describe("whatever Elysia does, the gate answers and counts it once", () => {
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

	test("a fault found on the way wins over the answer that came with it", async () => {
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
	const refused: [name: string, request: Request, options: Partial<GateOptions>, status: number][] =
		[
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

test("an upgraded socket has no answer, and counts as 101", async () => {
	const { gate, ended } = gateUnderTest();
	const request = get("/v1/stream", { headers: { upgrade: "websocket" } });
	// Elysia answers an empty 200 after a successful upgrade.
	expect(await gate(() => new Response(""), request)).toBeUndefined();
	expect(ended).toMatchObject([{ status: 101, pattern: "/v1/stream" }]);
	expect(requestContexts.get(request)?.upgraded).toBe(true);
});

test("a route with a body can keep its connection open, through the copy it was given", async () => {
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

test("HEAD reaches a route as the GET it stands for", async () => {
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

describe("what a webhook's sender posts costs allowance only where it is refused", () => {
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

	test("too large a body is refused, as is a malformed address, and each counts once", async () => {
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
