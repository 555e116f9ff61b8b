import { beforeEach, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { openApiDocument } from "#core/http/openApiDocument.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { createMemoryLimiter } from "#core/limiter/createMemoryLimiter.ts";
import type { Log } from "#core/log/Log.ts";
import { createMetrics } from "#core/metrics/createMetrics.ts";
import { createWebhooks } from "#plugins/custody/webhook/createWebhooks.ts";
import { readWebhookSecret } from "#plugins/custody/webhook/readWebhookSecret.ts";
import { signDelivery } from "#plugins/custody/webhook/testing/signDelivery.ts";
import { webhookRoutes } from "#plugins/custody/webhook/webhookRoutes.ts";

// Guarantee: the wallet provider is heard, without cookie and Origin, and nobody else is.

const SECRET = `whsec_${Buffer.from("c4n4ry-key-of-the-webhook").toString("base64")}`;
const NOW_MS = 1_763_000_000_000;
const REFERENCE = "0199a8f3-5b1c-7cc2-9d11-0c8d6a1f2b3c";
// Spaced as no serialiser does it: whoever signs what they parsed finds another signature.
const BODY = `{ "type" : "transaction.confirmed",\n "transaction_id":"t", "reference_id":"${REFERENCE}" }`;

let woken: unknown[];
let lines: unknown[];
let app: ReturnType<typeof testHttpApp>;
beforeEach(() => {
	woken = [];
	lines = [];
	app = open(SECRET);
});

function open(secret: string | null) {
	const key = readWebhookSecret(secret ?? "");
	const clock = { nowMs: () => NOW_MS };
	const look = async (referenceId: string) => woken.push(referenceId) > 0;
	const say = (message: string, context?: Record<string, unknown>) =>
		void lines.push({ message, context });
	const log: Log = { debug: say, info: say, warn: say, error: say, with: () => log };
	return testHttpApp({
		log,
		limiter: createMemoryLimiter({ requestsMax: 20, windowSeconds: 60, clock }),
		routes: [
			webhookRoutes(key && createWebhooks(key, { look, clock, metrics: createMetrics() })),
			new Elysia().post("/v1/elsewhere", () => ({ done: true })),
		],
	});
}

let deliveries = 0;
type Sent = { body?: string; secret?: string; headers?: Record<string, string>; path?: string };

async function post({ body = BODY, secret = SECRET, headers = {}, path }: Sent = {}) {
	const signed = signDelivery({ id: `msg_${deliveries++}`, secret, nowMs: NOW_MS, body });
	const url = `http://localhost${path ?? "/v1/webhooks/wallet-provider"}`;
	const response = await app.handle(
		new Request(url, {
			method: "POST",
			headers: { "content-type": "application/json", ...signed, ...headers },
			body,
		}),
	);
	const text = await response.text();
	const { status } = response;
	return { status, text, body: JSON.parse(text), headers: response.headers };
}

const refused = (status: number, code: string) => ({ status, body: { status, code } });

test("it is heard by its bytes, as they came", async () => {
	const answer = await post();
	expect(answer).toMatchObject({ status: 200, body: { outcome: "woken" } });
	expect(answer.headers.get("cache-control")).toBe("no-store");
	expect(woken).toEqual([REFERENCE]);
	const type = "application/json; charset=utf-8";
	expect((await post({ headers: { "content-type": type } })).status).toBe(200);
	expect((await post({ body: '{"type":"user.created"}' })).body).toEqual({ outcome: "ignored" });
});

test("without a secret there is no such address, and nothing says what is missing", async () => {
	app = open(null);
	expect(await post()).toMatchObject(refused(404, "not_found"));
	const elsewhere = await post({ path: "/v1/webhooks/another" });
	expect(elsewhere).toMatchObject(refused(404, "not_found"));
});

test("[SEC-03] it needs no Origin, as every unsafe request with a cookie does", async () => {
	expect((await post({ headers: { origin: "https://evil.example" } })).status).toBe(200);
	const cookie = { cookie: "session=x" };
	// Nothing was opened for it: a browser's request is judged as everywhere.
	expect(await post({ headers: cookie })).toMatchObject(refused(403, "origin_not_allowed"));
	const elsewhere = { path: "/v1/elsewhere" };
	expect(await post({ ...elsewhere, headers: cookie })).toMatchObject(
		refused(403, "origin_not_allowed"),
	);
	expect((await post(elsewhere)).status).toBe(200);
});

describe("turned away with a problem, and without effect", () => {
	const other = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
	const huge = `{"type":"${" ".repeat(65_536)}"}`;
	const wrong: [what: string, sent: Sent, status: number, code: string][] = [
		["another's signature", { secret: other }, 401, "webhook_signature"],
		["no signature", { headers: { "svix-signature": "" } }, 400, "webhook_headers"],
		["no id", { headers: { "svix-id": "" } }, 400, "webhook_headers"],
		["a time of its own", { headers: { "svix-timestamp": "1" } }, 401, "webhook_signature"],
		["no JSON", { body: "{" }, 422, "webhook_event"],
		["no event", { body: "[]" }, 422, "webhook_event"],
		["half an event", { body: '{"type":"transaction.failed"}' }, 422, "webhook_event"],
		["64 KiB and more", { body: huge }, 413, "webhook_too_large"],
		["a megabyte", { body: " ".repeat(1_048_577) }, 413, "body_too_large"],
		["a form", { headers: { "content-type": "text/plain" } }, 415, "unsupported_media_type"],
	];
	for (const [what, sent, status, code] of wrong) {
		test(`${what}: ${status}`, async () => {
			const answer = await post(sent);
			expect(answer).toMatchObject(refused(status, code));
			expect(answer.headers.get("content-type")).toContain("application/problem+json");
			expect(woken).toEqual([]);
		});
	}

	test("too old: 401", async () => {
		const nowMs = NOW_MS - 301_000;
		const headers = signDelivery({ id: "msg_old", secret: SECRET, nowMs, body: BODY });
		expect(await post({ headers })).toMatchObject(refused(401, "webhook_time"));
		expect(woken).toEqual([]);
	});
});

test("deliveries of the wallet provider have no limit, refused ones have that of every client", async () => {
	for (let n = 0; n < 30; n++) {
		expect(await post({ body: '{"type":"user.created"}' })).toMatchObject({ status: 200 });
	}
	const forged = { headers: { "svix-signature": "v1,AAAA" } };
	for (let n = 0; n < 20; n++)
		expect(await post(forged)).toMatchObject(refused(401, "webhook_signature"));
	expect(await post(forged)).toMatchObject(refused(429, "rate_limited"));
	expect(await post()).toMatchObject({ status: 200 });
});

test("[SEC-07] no answer and no line has the secret, a signature, or what was sent", async () => {
	const told: string[] = [];
	const body = BODY.replace('"t"', '"c4n4ry-transaction"');
	const odd = { "svix-signature": "v1,c4n4ry" };
	for (const sent of [
		{ body },
		{ body, headers: odd },
		{ body: '{"c4n4ry":1}' },
		{ body: "c4n4ry" },
	]) {
		const answer = await post(sent);
		told.push(answer.text, JSON.stringify([...answer.headers]));
	}
	const all = `${told.join()}${JSON.stringify(lines)}`;
	expect(lines.length).toBeGreaterThan(3);
	for (const secret of ["c4n4ry", SECRET.slice(6), REFERENCE]) expect(all).not.toContain(secret);
});

test("the document says what it takes and how it can fail", () => {
	const { paths } = openApiDocument({ app, version: "1", sandbox: false });
	const operation = JSON.stringify(paths["/v1/webhooks/wallet-provider"]);
	for (const said of ["svix-id", "svix-timestamp", "svix-signature", "reference_id"]) {
		expect(operation).toContain(said);
	}
	for (const code of ["headers", "signature", "time", "too_large", "event"]) {
		expect(operation).toContain(`webhook_${code}`);
	}
	const none = openApiDocument({ app: open(null), version: "1", sandbox: false });
	expect(none.paths["/v1/webhooks/wallet-provider"]).toBeUndefined();
});
