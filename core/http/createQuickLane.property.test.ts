import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import fc from "fast-check";
import { contentOf } from "#core/http/content.ts";
import type { MadeAnswer } from "#core/http/repeat.ts";
import { requestContexts } from "#core/http/requests.ts";
import { canBeCached } from "#core/http/routeMarks.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { createMemoryLimiter } from "#core/limiter.ts";

const RUNS = process.env.PROVE === "1" ? 3_000 : 100;

type World = {
	answer: MadeAnswer;
	sandbox: boolean;
	publicUrl: string | undefined;
	/** Whether the limiter answers at once, or later. */
	decidesAtOnce: boolean;
	/** Whether the page is ready at once, or later. */
	answersAtOnce: boolean;
	/** Whether the server is shutting down. */
	drains: boolean;
};

type Asked = { path: string; method: string; headers: Record<string, string> };

/** Opens an app whose page may be repeated, or is made by its route each time. */
function open(
	{ answer, decidesAtOnce, answersAtOnce, drains, ...world }: World,
	isRepeated: boolean,
) {
	const clock = { nowMs: () => 1_000 };
	const memory = createMemoryLimiter({ requestsMax: 6, windowSeconds: 60, clock });
	const { body, headers } = answer;
	const shared = { content: contentOf(body), headers };
	let repeats = 0;
	const routes = new Elysia({ detail: canBeCached() }).get("/v1/page", ({ request }) => {
		const context = requestContexts.get(request);
		if (isRepeated && context) {
			context.repeat = () => {
				repeats += 1;
				return answersAtOnce ? shared : Promise.resolve(shared);
			};
		}
		return new Response(body, { headers });
	});
	const app = testHttpApp({
		...world,
		routes: [routes],
		clock,
		limiter: decidesAtOnce ? memory : { take: memory.take },
		newRequestId: () => "made",
	});
	if (drains) app.store.drain.begin();
	async function ask({ path, method, headers }: Asked) {
		const response = await app.handle(new Request(`http://a${path}`, { method, headers }));
		return {
			status: response.status,
			headers: Object.fromEntries(response.headers),
			body: Buffer.from(await response.bytes()).toString("latin1"),
		};
	}
	return { ask, repeats: () => repeats };
}

/** Present half of the time; headers that prevent a repeat are present once in nine times. */
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) =>
	fc.oneof(fc.constant(undefined), arbitrary);
const seldom = <Value>(arbitrary: fc.Arbitrary<Value>) =>
	fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const LONG = JSON.stringify({ servedAt: "2026-03-01T12:00:00.000Z", text: "cats ".repeat(300) });
const bodies = ['{"a":1}', "", "漢字", LONG];
const tags = bodies.map((body) => contentOf(body).etag);
const answer = fc.record({
	body: fc.constantFrom(...bodies),
	headers: fc
		.record({
			"x-svc-cache": optional(fc.constantFrom("hit", "stale")),
			"cache-control": optional(fc.constantFrom("max-age=5", "no-store", "private, max-age=5")),
			"referrer-policy": optional(fc.constant("origin")),
			vary: optional(
				fc.constantFrom("Accept", "Origin", "origin", "Accept, Origin", "*", "Accept-Encoding"),
			),
			"x-content-type-options": optional(fc.constant("nosniff")),
		})
		.map((headers) => ({ "content-type": "application/json", ...given(headers) })),
});
const world = fc.record({
	answer,
	sandbox: fc.boolean(),
	publicUrl: fc.constantFrom(undefined, "https://api.example"),
	decidesAtOnce: fc.boolean(),
	answersAtOnce: fc.boolean(),
	drains: seldom(fc.constant(true)).map((isSo) => isSo ?? false),
});
const asked = fc.record({
	path: fc.constantFrom("/v1/page", "/v1/page", "/v1/page?a=1", "/v1/page/", "/v1/page?"),
	method: seldom(fc.constantFrom("HEAD", "HEAD", "POST", "OPTIONS")).map((one) => one ?? "GET"),
	headers: fc
		.record({
			origin: optional(fc.constantFrom("https://app.example", "https://evil.example", "null", "")),
			"x-request-id": optional(fc.constantFrom("mine", "not harmless", "", "x".repeat(65))),
			"x-forwarded-for": optional(
				fc.constantFrom("203.0.113.1", "203.0.113.2", "203.0.113.1, 10.0.0.1", "unknown", ""),
			),
			host: seldom(fc.constantFrom("a", "a, a", "a, b")),
			cookie: optional(fc.constant("session=1")),
			upgrade: seldom(fc.constantFrom("h2c", "")),
			"accept-encoding": optional(
				fc.constantFrom(
					"gzip",
					"gzip, deflate, br, zstd",
					"br;q=0.9, zstd;q=0.8, *;q=0.1",
					"gzip;q=0, identity",
					"identity;q=0",
					"*;q=0",
					"deflate, compress, exi, pack200-gzip, x-gzip, br, zstd, gzip, identity, *",
					"nonsense;q=7",
					"",
				),
			),
			"if-none-match": seldom(
				fc.oneof(
					fc.constantFrom("*", '"x"', 'W/"x", "y"', "nonsense", ""),
					fc.constantFrom(...tags),
					fc.constantFrom(...tags).map((tag) => `"a", ${tag.slice(2)}`),
				),
			),
			range: seldom(fc.constantFrom("bytes=0-0", "bytes=-5", "bytes=9-1, 3-4", "lines=1")),
			"if-range": seldom(fc.constantFrom(...tags)),
		})
		.map(given),
});

/** A page and requests that include each kind of answer once, whatever the generators choose. */
const everyKind: [World, Asked[]] = [
	{
		answer: { body: LONG, headers: { "content-type": "application/json" } },
		sandbox: false,
		publicUrl: undefined,
		decidesAtOnce: true,
		answersAtOnce: true,
		drains: false,
	},
	[
		{},
		{ "accept-encoding": "gzip" },
		{ "accept-encoding": "br" },
		{ "accept-encoding": "zstd" },
		{ "if-none-match": "*" },
		{ "accept-encoding": "*;q=0" },
		{},
	].map((headers) => ({ path: "/v1/page", method: "GET", headers: given(headers) })),
];

/** Returns only the defined headers. */
function given(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
	const there = Object.entries(headers).flatMap(([name, value]) =>
		value === undefined ? [] : [[name, value] as const],
	);
	return Object.fromEntries(there);
}

// Guarantee: a client cannot tell whether its page was repeated or made by the route.
test("a repeated answer has the same status, headers and body as the route's, for any request", async () => {
	let repeats = 0;
	const seen = new Set<string>();
	await fc.assert(
		fc.asyncProperty(world, fc.array(asked, { minLength: 2, maxLength: 14 }), async (of, asks) => {
			const [quick, ordinary] = [open(of, true), open(of, false)];
			for (const one of asks) {
				const got = await quick.ask(one);
				expect(got).toEqual(await ordinary.ask(one));
				seen.add(`${got.status} ${got.headers["content-encoding"] ?? ""}`);
			}
			repeats += quick.repeats();
		}),
		{ numRuns: RUNS, examples: [everyKind] },
	);

	expect(repeats).toBeGreaterThan(RUNS / 3);
	for (const kind of ["200 ", "200 gzip", "200 br", "200 zstd", "304 ", "406 ", "429 "]) {
		expect(seen).toContain(kind);
	}
});

// Guarantee: HEAD matches GET, a range gets the whole answer, and a body matches its headers.
test("HEAD has a GET's status and headers, with the length of its body; a range changes nothing", async () => {
	await fc.assert(
		fc.asyncProperty(world, asked, fc.boolean(), async (of, one, isRepeated) => {
			const app = open({ ...of, drains: false }, isRepeated);
			const get = { ...one, method: "GET" };
			await app.ask({ path: "/v1/page", method: "GET", headers: {} });
			const got = await app.ask(get);
			const { range: _, "if-range": __, ...rest } = one.headers;
			const whole = await app.ask({ ...get, headers: rest });
			const head = await app.ask({ ...get, method: "HEAD" });
			const left = ["ratelimit-remaining"];
			expect(without(whole, left)).toEqual(without(got, left));
			const length = { "content-length": `${got.body.length}` };
			expect(without(head, left)).toEqual({
				status: got.status,
				headers: { ...without(got, left).headers, ...(got.status === 304 ? {} : length) },
				body: "",
			});
		}),
		{ numRuns: 100 },
	);
});

type Got = Awaited<ReturnType<ReturnType<typeof open>["ask"]>>;

function without(got: Got, names: readonly string[]): Got {
	const headers = Object.entries(got.headers).filter(([name]) => !names.includes(name));
	return { ...got, headers: Object.fromEntries(headers) };
}
