import { afterAll, beforeAll, expect, test } from "bun:test";
import { Elysia } from "elysia";
import fc from "fast-check";
import { canBeCached } from "#core/http/canBeCached.ts";
import { contentOf } from "#core/http/content/contentOf.ts";
import { type HttpListener, listenHttp } from "#core/http/listenHttp.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import { type RawAnswer, rawConnection } from "#core/http/testing/rawConnection.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { silentLog } from "#core/log/silentLog.ts";

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
	fc.constantFrom("", "x y", "x/y", "u@x", "u:p@x", "x?y", "x#y", "x\\y", "a:b", "a:99999", ":80"),
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
		arbitrary: fc.constantFrom("/a", "/aa", "/aaa", "/", "//", "/.", "/..", "/%2e%2e", "/\\", "/x"),
	},
	{
		weight: 1,
		arbitrary: fc.constantFrom("http://e", "http://evil.example:1", "https://x", "HTTP://u@x", "x"),
	},
);
const tail = fc.oneof(
	{ weight: 4, arbitrary: fc.constant("") },
	{
		weight: 3,
		arbitrary: fc.constantFrom("/", "//", "?", "?q=1", "??", "?/v1/page", "#", "#/v1/page", "?a#b"),
	},
	{
		weight: 2,
		arbitrary: fc.constantFrom("\\", "/%2f", "%2f", "%00", "%ff", "%", ";a=b", "/..", "/.", "/%2E"),
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
	if (repeated !== undefined && repeated !== gate.place) return "another route's page is repeated";
	if (route === undefined) return undefined;
	if (route.route !== gate.place) return "the gate decided by another route than the one that ran";
	if (/^\/v1(\/|$)/.test(route.path) !== hasPaid) return "the allowance is another path's";
	if (URL.parse(route.url)?.pathname !== route.path) return "the route's URL has another path";
	const { type, text } = asked.body ?? {};
	if (asked.method !== "POST" || !text) return undefined;
	if (type !== "application/json") return "a body that is no JSON reached a route";
	return text.length > 1_000 ? "a body without end reached a route" : undefined;
}

// Guarantee: no request makes the gate judge one path and the framework run another.
test("over 10,000 hostile requests, the gate decides by the route that runs", async () => {
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
