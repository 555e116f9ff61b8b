import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { z } from "zod";
import { contentOf } from "#core/http/content.ts";
import type { HttpAppOptions } from "#core/http/createHttpApp.ts";
import { httpFault } from "#core/http/faults.ts";
import type { Repeat, RepeatedAnswer } from "#core/http/repeat.ts";
import { requestContexts } from "#core/http/requests.ts";
import { canBeCached } from "#core/http/routeMarks.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { createMemoryLimiter } from "#core/limiter.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";

/** Opens an app with a page that may be repeated, and counts who answered. */
function open(options: Partial<HttpAppOptions> = {}, answer?: Repeat) {
	const calls = { routed: 0, repeated: 0 };
	const headers = { "content-type": "application/json", "x-svc-cache": "hit" };
	// One object, as for many requests in one millisecond.
	const shared = { content: contentOf('{"a":1}'), headers };
	const repeat: Repeat = (nowMs) => {
		calls.repeated += 1;
		return answer?.(nowMs) ?? shared;
	};
	const query = z.object({ a: z.string().optional(), token: z.string().optional() });
	const routes = new Elysia({ detail: canBeCached() })
		.get(
			"/v1/page",
			({ request }) => {
				calls.routed += 1;
				const context = requestContexts.get(request);
				if (context) context.repeat = repeat;
				return new Response('{"a":1}', { headers });
			},
			{ query },
		)
		.get("/v1/missing", ({ request }) => {
			const context = requestContexts.get(request);
			if (context) context.repeat = repeat;
			throw httpFault.notFound();
		});
	const app = testHttpApp({ routes: [routes], ...options });
	const get = (path = "/v1/page", init: RequestInit = {}) =>
		app.handle(new Request(`http://localhost${path}`, init));
	return { app, get, calls };
}

function answerOf(body: string, headers: Record<string, string> = {}): RepeatedAnswer {
	return {
		content: contentOf(body),
		headers: { "content-type": "application/json", ...headers },
	};
}

/** The limiter's answer to the request that reaches the route. */
const FIRST = { limit: 1, remaining: 1, resetMs: 7_000 };

/** Returns what a client sees of an answer, without its own request id. */
async function seen(response: Response) {
	const headers = Object.fromEntries(response.headers);
	delete headers["x-request-id"];
	delete headers["ratelimit-remaining"];
	return { status: response.status, headers, body: await response.text() };
}

const inits: [name: string, init: RequestInit][] = [
	["plain", {}],
	["from an allowed origin", { headers: { origin: "https://app.example" } }],
	["from another origin", { headers: { origin: "https://evil.example" } }],
	["with an id of its own", { headers: { "x-request-id": "mine" } }],
];

for (const [name, init] of inits) {
	for (const sandbox of [false, true]) {
		test(`a repeated answer equals the first: ${name}${sandbox ? ", sandbox" : ""}`, async () => {
			const { get, calls } = open({ sandbox });
			const first = await seen(await get("/v1/page", init));
			const again = await get("/v1/page", init);
			const mine = new Headers(init.headers).get("x-request-id");
			expect(again.headers.get("x-request-id")).toBe(mine ?? "request-2");
			expect(await seen(again)).toEqual(first);
			expect(calls).toEqual({ routed: 1, repeated: 1 });
		});
	}
}

test("[SEC-02] a repeated answer costs its client one request of its allowance", async () => {
	const { get, calls } = open({
		limiter: createMemoryLimiter({ requestsMax: 3, windowSeconds: 60 }),
	});
	const from = (client: string) => get("/v1/page", { headers: { "x-forwarded-for": client } });
	const remaining = [];
	for (let index = 0; index < 3; index += 1) {
		remaining.push((await from("203.0.113.1")).headers.get("ratelimit-remaining"));
	}
	expect(remaining).toEqual(["2", "1", "0"]);
	const refused = await from("203.0.113.1");
	expect(refused.status).toBe(429);
	expect(refused.headers.get("retry-after")).not.toBeNull();
	expect(refused.headers.get("ratelimit-remaining")).toBe("0");
	expect(await refused.json()).toMatchObject({ code: "rate_limited" });
	expect((await from("203.0.113.2")).status).toBe(200);
	expect(calls).toEqual({ routed: 1, repeated: 3 });
});

test("a repeated answer is counted and logged under its route, once", async () => {
	const lines: unknown[] = [];
	const metrics = createMetrics();
	const log = {
		...silentLog,
		debug: (message: string, context?: Record<string, unknown>) => {
			if (message === "request") lines.push(context?.route);
		},
	};
	const { get } = open({ log, metrics });
	await get("/v1/page?token=1");
	await get("/v1/page?token=1");
	expect(lines).toEqual(["/v1/page", "/v1/page"]);
	const { body } = await metrics.expose();
	expect(body).toMatch(/duration_seconds_count\{.*route="\/v1\/page".*\} 2/);
	expect(body).toContain("tapeline_http_requests_in_flight 0");
});

test("a request with another method, an upgrade or another URL reaches the route", async () => {
	const { get, calls } = open();
	await get();
	const head = await get("/v1/page", { method: "HEAD" });
	expect(head.headers.get("content-length")).toBe("7");
	expect(await head.text()).toBe("");
	expect((await get("/v1/page", { method: "POST" })).status).toBe(405);
	await get("/v1/page", { headers: { upgrade: "websocket" } });
	for (const path of [
		"/v1/page?a=1",
		"/v1/page?a=%31",
		"/v1/page?a=%31",
		`/v1/page?a=${"x".repeat(600)}`,
		`/v1/page?a=${"x".repeat(600)}`,
	]) {
		await get(path);
	}
	expect(calls.repeated).toBe(0);
	expect((await get("/v1/page?%zz")).status).toBe(400);
});

test("an answer that failed is never repeated", async () => {
	const { get, calls } = open();
	expect((await get("/v1/missing")).status).toBe(404);
	expect((await get("/v1/missing")).status).toBe(404);
	expect(calls.repeated).toBe(0);
});

test("a failed repeat answers 500 without the reason, and the next request is handled again", async () => {
	let fails = true;
	const { get } = open({}, () => {
		if (fails) throw new Error("c4n4ry");
		return answerOf("{}", { vary: "Accept" });
	});
	await get();
	const failed = await get();
	expect(failed.status).toBe(500);
	expect(await failed.text()).not.toContain("c4n4ry");
	fails = false;
	const fine = await get();
	expect(fine.status).toBe(200);
	expect(fine.headers.get("vary")).toBe("Accept, Accept-Encoding, Origin");
});

test("a draining server closes keep-alive connections on repeated answers too", async () => {
	const { app, get } = open();
	await get();
	app.store.drain.begin();
	expect((await get()).headers.get("connection")).toBe("close");
});

test("no more than 1,000 URLs are remembered", async () => {
	const { get, calls } = open({
		limiter: createMemoryLimiter({ requestsMax: 5_000, windowSeconds: 60 }),
	});
	for (let index = 0; index <= 1_000; index += 1) await get(`/v1/page?a=${index}`);
	await get("/v1/page?a=0");
	expect(calls).toEqual({ routed: 1_002, repeated: 0 });
	await get("/v1/page?a=1000");
	expect(calls.repeated).toBe(1);
});

test("repeated answers share nothing that belongs to one caller", async () => {
	const { get } = open();
	await get();
	const mine = { "x-request-id": "mine", origin: "https://app.example" };
	const first = await get("/v1/page", { headers: { ...mine, "x-forwarded-for": "203.0.113.1" } });
	const second = await get("/v1/page", { headers: { "x-forwarded-for": "203.0.113.2" } });
	expect(first.headers.get("x-request-id")).toBe("mine");
	expect(first.headers.get("access-control-allow-origin")).toBe("https://app.example");
	expect(second.headers.get("x-request-id")).toBe("request-2");
	expect(second.headers.get("access-control-allow-origin")).toBe("*");
	expect(second.headers.get("access-control-allow-credentials")).toBeNull();
	expect(second.headers.get("ratelimit-remaining")).toBe("599");
	const third = await get("/v1/page", { headers: { "x-forwarded-for": "203.0.113.1" } });
	expect(third.headers.get("ratelimit-remaining")).toBe("598");
	expect(first.headers.get("ratelimit-remaining")).toBe("599");
});

test("an answer has the time at which it is sent, also after a wait for a limiter", async () => {
	let nowMs = 1_000;
	const asked: number[] = [];
	const taken = { allowed: true, limit: 9, remaining: 4, resetMs: 1_000, retryAfterMs: 0 };
	const slow = {
		take: async () => {
			nowMs += 500;
			return taken;
		},
	};
	for (const limiter of [slow, { ...slow, takeNow: () => taken }]) {
		const options = { limiter, clock: { nowMs: () => nowMs } };
		const { get } = open(options, (atMs) => {
			asked.push(atMs - nowMs);
			return answerOf("{}");
		});
		await get();
		nowMs += 3;
		await get();
	}
	expect(asked).toEqual([0, 0]);
});

test("a renewed answer is sent with its own headers", async () => {
	const outcomes = ["hit", "stale", "miss"];
	const { get } = open({}, () => answerOf("{}", { "x-svc-cache": outcomes.shift() ?? "none" }));
	await get();
	for (const outcome of ["hit", "stale", "miss"]) {
		expect((await get()).headers.get("x-svc-cache")).toBe(outcome);
	}
});

test("answers that differ only in their time each have their own body and headers", async () => {
	const at = (second: number) => `{"servedAt":"2026-01-01T00:00:0${second}.000Z"}`;
	const answers = [
		answerOf(at(1), { "x-svc-cache": "hit" }),
		answerOf(at(2), { "x-svc-cache": "hit" }),
		answerOf(at(3), { "x-svc-cache": "stale" }),
		answerOf(at(4), { "x-svc-cache": "stale", "x-more": "1" }),
		answerOf(at(5), { "x-svc-cache": "stale" }),
	];
	let next = 0;
	const { get } = open({}, () => answers[next++ % answers.length] ?? answerOf(""));
	await get();
	for (const second of [1, 2, 3, 4, 5]) {
		const { status, headers, body } = await seen(await get());
		expect({ status, body }).toEqual({ status: 200, body: at(second) });
		expect(headers["x-svc-cache"]).toBe(second < 3 ? "hit" : "stale");
		expect(headers["x-more"]).toBe(second === 4 ? "1" : undefined);
	}
});

test("[SEC-02] each client gets its own limit and reset, independent of the client before", async () => {
	const told = [
		{ limit: 9, remaining: 8, resetMs: 60_000 },
		{ limit: 9, remaining: 7, resetMs: 59_001 },
		{ limit: 9, remaining: 8, resetMs: 1 },
		{ limit: 5, remaining: 8, resetMs: 1 },
		{ limit: 9, remaining: 0, resetMs: 60_000 },
	];
	const next = () => ({ allowed: true, retryAfterMs: 0, ...(told[asked++] ?? FIRST) });
	let asked = -1;
	const { get, calls } = open({ limiter: { take: async () => next(), takeNow: next } });
	await get();
	for (const { limit, remaining, resetMs } of told) {
		const { headers } = await get();
		expect(headers.get("ratelimit-limit")).toBe(`${limit}`);
		expect(headers.get("ratelimit-remaining")).toBe(`${remaining}`);
		expect(headers.get("ratelimit-reset")).toBe(`${Math.ceil(resetMs / 1_000)}`);
	}
	expect(calls.repeated).toBe(told.length);
});

test("a slow limiter, and an answer that is not yet ready, are waited for", async () => {
	const asked: string[] = [];
	const answer = answerOf("later");
	const taken = { allowed: true, limit: 9, remaining: 4, resetMs: 1_000, retryAfterMs: 0 };
	const limiter = {
		take: async (key: string) => {
			asked.push(key);
			return taken;
		},
	};
	for (const options of [{ limiter }, {}]) {
		const { get } = open(options, async () => answer);
		await get();
		const later = await get();
		expect(await later.text()).toBe("later");
		expect(later.headers.get("ratelimit-remaining")).toBe(options.limiter ? "4" : "598");
	}
	expect(asked).toEqual(["127.0.0.1", "127.0.0.1"]);
});

test("after a limiter failed, a repeated answer carries no other client's allowance", async () => {
	let fails = false;
	const limiter = {
		take: async () => {
			if (fails) throw new Error("away");
			return { allowed: true, limit: 9, remaining: 4, resetMs: 1_000, retryAfterMs: 0 };
		},
	};
	const { get } = open({ limiter });
	await get();
	await get();
	fails = true;
	const again = await get();
	expect(again.status).toBe(200);
	expect(again.headers.get("ratelimit-remaining")).toBeNull();
});
