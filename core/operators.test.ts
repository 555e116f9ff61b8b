import { beforeEach, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { createLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { createOperators } from "#core/operators.ts";
import { MINUTE_MS } from "#core/time.ts";

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

test("the deployment's key is accepted, and x-admin-actor names the operator", async () => {
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

test("without ADMIN_API_KEY every key gets 401, also no key and the word undefined", () => {
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

test("an address that sent six wrong keys gets 429 for a minute for wrong keys, not for the right one", async () => {
	const { ask, clock, metrics } = open();
	for (let guess = 0; guess < 6; guess += 1) {
		expect((await ask({ "x-api-key": `guess-${guess}` })).status).toBe(401);
	}
	const refused = await ask({ "x-api-key": "guess-6" });
	expect(refused).toMatchObject({
		status: 429,
		body: { code: "rate_limited", provider: "svc", retryAfterMs: MINUTE_MS },
	});
	expect((await ask({ "x-api-key": KEY })).status).toBe(200);
	expect((await ask({ "x-api-key": "no" }, "198.51.100.1")).status).toBe(401);
	clock.ms += MINUTE_MS;
	expect((await ask({ "x-api-key": "guess-7" })).status).toBe(401);
	const { body } = await metrics.expose();
	expect(body).toContain('admin_refusals_total{reason="wrong_key"} 8');
	expect(body).toContain('admin_refusals_total{reason="limited"} 1');
});

test("the right key is accepted from a new address while a thousand others send wrong keys", async () => {
	const { ask, metrics } = open();
	for (let guess = 0; guess < 1_000; guess += 1) {
		const from = `198.51.${guess >> 8}.${guess & 255}`;
		expect((await ask({ "x-api-key": `guess-${guess}` }, from)).status).toBe(401);
	}
	expect((await ask({ "x-api-key": KEY }, "203.0.113.99")).status).toBe(200);
	const { body } = await metrics.expose();
	expect(body).toContain('admin_refusals_total{reason="wrong_key"} 1000');
});

test("requests with the right key are not limited, and requests without a key lock nobody out", async () => {
	const { ask } = open();
	for (let request = 0; request < 300; request += 1) {
		expect((await ask({ "x-api-key": KEY })).status).toBe(200);
	}
	for (let request = 0; request < 30; request += 1) expect((await ask({})).status).toBe(401);
	expect((await ask({ "x-api-key": KEY })).status).toBe(200);
});

for (const actor of ["a".repeat(101), "\u00fcber", "tab\there"]) {
	test(`an actor called ${JSON.stringify(actor).slice(0, 20)} is 422 to an operator, 401 to others`, async () => {
		const { ask } = open();
		const { status, body } = await ask({ "x-api-key": KEY, "x-admin-actor": actor });
		expect({ status, code: body.code }).toEqual({ status: 422, code: "validation_error" });
		expect((await ask({ "x-api-key": "no", "x-admin-actor": actor })).status).toBe(401);
	});
}

test("[SEC-07] a key, right or wrong, appears in no answer, log line or metric", async () => {
	const { ask, metrics } = open();
	const typo = `${KEY.slice(0, -1)}2`;
	await ask({ "x-api-key": KEY });
	await ask({ "x-api-key": KEY, "x-admin-actor": "\u00fc" });
	for (let guess = 0; guess < 8; guess += 1) await ask({ "x-api-key": typo });
	const said = [...lines, ...answers, (await metrics.expose()).body].join("\n");
	expect(lines.length).toBeGreaterThan(8);
	expect(said).not.toContain("c4n4ry");
});
