import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import fc from "fast-check";
import type { RepeatedAnswer } from "#core/http/Repeat.ts";
import { requestContexts } from "#core/http/requestContexts.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { createMemoryLimiter } from "#core/limiter/createMemoryLimiter.ts";

type World = {
	answer: RepeatedAnswer;
	sandbox: boolean;
	publicUrl: string | undefined;
	/** Whether the limiter decides at once, or is waited for. */
	decidesAtOnce: boolean;
	/** Whether the page is there at once, or is waited for. */
	answersAtOnce: boolean;
	/** Whether the server is going away. */
	drains: boolean;
};

type Asked = { path: string; method: string; headers: Record<string, string> };

/** An app whose page may be repeated, or is made anew by its route each time. */
function open(
	{ answer, decidesAtOnce, answersAtOnce, drains, ...world }: World,
	isRepeated: boolean,
) {
	const clock = { nowMs: () => 1_000 };
	const memory = createMemoryLimiter({ requestsMax: 6, windowSeconds: 60, clock });
	let repeats = 0;
	const routes = new Elysia().get("/v1/page", ({ request }) => {
		const context = requestContexts.get(request);
		if (isRepeated && context) {
			context.repeat = () => {
				repeats += 1;
				return answersAtOnce ? answer : Promise.resolve(answer);
			};
		}
		return new Response(answer.body, { headers: answer.headers });
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
			body: await response.text(),
		};
	}
	return { ask, repeats: () => repeats };
}

/** Half of the time there; what takes the long way is there once in nine times. */
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) =>
	fc.option(arbitrary, { nil: undefined, freq: 1 });
const seldom = <Value>(arbitrary: fc.Arbitrary<Value>) =>
	fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const answer = fc.record({
	body: fc.constantFrom('{"a":1}', "", new TextEncoder().encode("bytes"), new Blob(["blob"])),
	headers: fc
		.record({
			"content-type": optional(fc.constantFrom("application/json", "text/html", "text/plain")),
			"x-svc-cache": optional(fc.constantFrom("hit", "stale")),
			"cache-control": optional(fc.constant("max-age=5")),
			"referrer-policy": optional(fc.constant("origin")),
			vary: optional(
				fc.constantFrom("Accept", "Origin", "origin", "Accept, Origin", "*", "Accept-Encoding"),
			),
			"x-content-type-options": optional(fc.constant("nosniff")),
		})
		.map(given),
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
	path: fc.constantFrom("/v1/page", "/v1/page", "/v1/page?a=1", "/v1/page/", "/v1/page?a=%31"),
	method: seldom(fc.constantFrom("HEAD", "POST", "OPTIONS")).map((method) => method ?? "GET"),
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
		})
		.map(given),
});

/** Only the headers that there are. */
function given(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
	const there = Object.entries(headers).flatMap(([name, value]) =>
		value === undefined ? [] : [[name, value] as const],
	);
	return Object.fromEntries(there);
}

// Guarantee: no client can tell whether its page was repeated or made by the route.
test("a repeated answer has the status, headers and body of the ordinary one, whatever is asked", async () => {
	let repeats = 0;
	await fc.assert(
		fc.asyncProperty(world, fc.array(asked, { minLength: 2, maxLength: 14 }), async (of, asks) => {
			const [quick, ordinary] = [open(of, true), open(of, false)];
			for (const one of asks) expect(await quick.ask(one)).toEqual(await ordinary.ask(one));
			repeats += quick.repeats();
		}),
		{ numRuns: 400 },
	);

	expect(repeats).toBeGreaterThan(200);
}, 30_000);
