import { beforeEach, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { createOperators } from "#core/admin/createOperators.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { createLog } from "#core/log/createLog.ts";
import { createMetrics } from "#core/metrics/createMetrics.ts";
import { MINUTE_MS } from "#core/time/units.ts";

const KEY = "c4n4ry-c4n4ry-c4n4ry-0001";

let lines: string[];
let answers: string[];
beforeEach(() => {
	lines = [];
	answers = [];
});

/** An admin route behind the real gate; everything it logs and answers is kept. */
function open(apiKey: string | undefined = KEY) {
	const clock = { ms: 1_000_000, nowMs: () => clock.ms };
	const metrics = createMetrics();
	const log = createLog({ level: "debug", clock, to: { write: (line) => void lines.push(line) } });
	const operators = createOperators({ apiKey, clock, metrics });
	const route = new Elysia().put("/v1/admin/thing", ({ request }) =>
		operators.authenticate(request),
	);
	const app = testHttpApp({ routes: [route], clock, log, metrics });
	const ask = async (headers: Record<string, string>, from = "203.0.113.7") => {
		const response = await app.handle(
			new Request("http://localhost/v1/admin/thing", {
				method: "PUT",
				headers: { "content-type": "application/json", "x-forwarded-for": from, ...headers },
				body: "{}",
			}),
		);
		const text = await response.text();
		answers.push(text, JSON.stringify([...response.headers]));
		return { status: response.status, body: JSON.parse(text) };
	};
	return { ask, clock, metrics };
}

test("the deployment's key opens, and x-admin-actor is who holds it", async () => {
	const { ask } = open();
	const named = await ask({ "x-api-key": KEY, "x-admin-actor": "ann (on call)" });
	expect(named).toEqual({ status: 200, body: { actor: "ann (on call)" } });
	expect((await ask({ "x-api-key": KEY })).body).toEqual({ actor: "unnamed" });
});

const wrong: [what: string, headers: Record<string, string>][] = [
	["no key", {}],
	["an empty key", { "x-api-key": "" }],
	["the key without its last character", { "x-api-key": KEY.slice(0, -1) }],
	["the key and one character more", { "x-api-key": `${KEY}0` }],
	["the key in capitals", { "x-api-key": KEY.toUpperCase() }],
	["the key twice", { "x-api-key": `${KEY}, ${KEY}` }],
	["a key of 8 KB", { "x-api-key": "k".repeat(8_192) }],
	["a key of other letters", { "x-api-key": "ü".repeat(16) }],
	["the key as a bearer token", { authorization: `Bearer ${KEY}` }],
	["the key as a cookie", { cookie: `x-api-key=${KEY}`, origin: "https://app.example" }],
];
for (const [what, headers] of wrong) {
	test(`${what} is 401`, async () => {
		const { status, body } = await open().ask(headers);
		expect({ status, code: body.code }).toEqual({ status: 401, code: "unauthorized" });
	});
}

test("without ADMIN_API_KEY every key is 401, also none and the word undefined", () => {
	const closed = createOperators({
		apiKey: undefined,
		clock: { nowMs: () => 0 },
		metrics: createMetrics(),
	});
	for (const key of ["", "undefined", "null", KEY]) {
		const request = new Request("http://localhost/", { headers: { "x-api-key": key } });
		expect(() => closed.authenticate(request)).toThrow(/unauthorized/);
	}
	expect(() => open("")).toThrow(/no short key/);
});

test("six wrong keys, and the address waits: even the right one is not looked at", async () => {
	const { ask, clock, metrics } = open();
	for (let guess = 0; guess < 6; guess += 1) {
		expect((await ask({ "x-api-key": `guess-${guess}` })).status).toBe(401);
	}
	const refused = await ask({ "x-api-key": KEY });
	expect(refused).toMatchObject({
		status: 429,
		body: { code: "rate_limited", provider: "svc", retryAfterMs: MINUTE_MS },
	});
	// An operator elsewhere still switches things off.
	expect((await ask({ "x-api-key": KEY }, "198.51.100.1")).status).toBe(200);
	clock.ms += MINUTE_MS;
	expect((await ask({ "x-api-key": KEY })).status).toBe(200);
	const { body } = await metrics.expose();
	expect(body).toContain('admin_refusals_total{reason="wrong_key"} 6');
	expect(body).toContain('admin_refusals_total{reason="limited"} 1');
});

test("an operator who works is not slowed down, and one who forgot the key not locked out", async () => {
	const { ask } = open();
	for (let request = 0; request < 60; request += 1) {
		expect((await ask({ "x-api-key": KEY })).status).toBe(200);
	}
	for (let request = 0; request < 30; request += 1) expect((await ask({})).status).toBe(401);
	expect((await ask({ "x-api-key": KEY })).status).toBe(200);
});

/** Guesses from addresses that each have some of their own allowance left. */
async function guessFromEverywhere(ask: ReturnType<typeof open>["ask"], guesses: number) {
	const statuses = new Map<number, number>();
	for (let guess = 0; guess < guesses; guess += 1) {
		const { status } = await ask({ "x-api-key": `guess-${guess}` }, `198.51.100.${guess}`);
		statuses.set(status, (statuses.get(status) ?? 0) + 1);
	}
	return Object.fromEntries(statuses);
}

// Guarantee: a thousand addresses guess no faster than ten.
test("wrong keys from everywhere have one limit together, and then no stranger's is looked at", async () => {
	const { ask, clock, metrics } = open();
	expect(await guessFromEverywhere(ask, 100)).toEqual({ 401: 60, 429: 40 });
	// What a stranger hears tells nothing about the key, so the right one is not looked at either.
	const refused = await ask({ "x-api-key": KEY }, "203.0.113.99");
	expect(refused).toMatchObject({ status: 429, body: { retryAfterMs: MINUTE_MS } });
	// Without a key there is nothing to guess.
	expect((await ask({}, "203.0.113.98")).status).toBe(401);
	clock.ms += MINUTE_MS;
	expect((await ask({ "x-api-key": KEY }, "203.0.113.99")).status).toBe(200);
	const { body } = await metrics.expose();
	expect(body).toContain('admin_refusals_total{reason="wrong_key"} 60');
	expect(body).toContain('admin_refusals_total{reason="limited_together"} 41');
});

test("an operator who has shown the key, or calls from the machine, is not held up by guesses", async () => {
	const { ask } = open();
	expect((await ask({ "x-api-key": KEY }, "203.0.113.50")).status).toBe(200);
	expect(await guessFromEverywhere(ask, 100)).toEqual({ 401: 59, 429: 41 });
	for (const from of ["203.0.113.50", "127.0.0.1", "::1"]) {
		expect((await ask({ "x-api-key": KEY }, from)).status).toBe(200);
	}
	// Its own limit stays.
	for (let guess = 0; guess < 6; guess += 1) await ask({ "x-api-key": "no" }, "127.0.0.1");
	expect((await ask({ "x-api-key": KEY }, "127.0.0.1")).status).toBe(429);
});

test("no more than a hundred operators' addresses are remembered", async () => {
	const { ask, clock } = open();
	for (let index = 0; index <= 100; index += 1) {
		clock.ms += 2_000;
		expect((await ask({ "x-api-key": KEY }, `203.0.113.${index}`)).status).toBe(200);
	}
	clock.ms += MINUTE_MS;
	await guessFromEverywhere(ask, 60);
	expect((await ask({ "x-api-key": KEY }, "203.0.113.0")).status).toBe(429);
	expect((await ask({ "x-api-key": KEY }, "203.0.113.100")).status).toBe(200);
});

for (const actor of ["a".repeat(101), "\u00fcber", "tab\there"]) {
	test(`an actor called ${JSON.stringify(actor).slice(0, 20)} is 422 to an operator, 401 to others`, async () => {
		const { ask } = open();
		const { status, body } = await ask({ "x-api-key": KEY, "x-admin-actor": actor });
		expect({ status, code: body.code }).toEqual({ status: 422, code: "validation_error" });
		expect((await ask({ "x-api-key": "no", "x-admin-actor": actor })).status).toBe(401);
	});
}

test("[SEC-07] neither the key nor a wrong one is in any answer, log line or metric", async () => {
	const { ask, metrics } = open();
	const typo = `${KEY.slice(0, -1)}2`;
	await ask({ "x-api-key": KEY });
	await ask({ "x-api-key": KEY, "x-admin-actor": "\u00fc" });
	for (let guess = 0; guess < 8; guess += 1) await ask({ "x-api-key": typo });
	const said = [...lines, ...answers, (await metrics.expose()).body].join("\n");
	expect(lines.length).toBeGreaterThan(8);
	expect(said).not.toContain("c4n4ry");
});
