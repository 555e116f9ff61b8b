import { beforeEach, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { Fault } from "#core/fault.ts";
import { openApiDocument } from "#core/http/openApi.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { createMemoryLimiter } from "#core/limiter.ts";
import type { Log } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import type { Look } from "#plugins/custody/contract.ts";
import { signDelivery } from "#plugins/custody/webhook/testing/signDelivery.ts";
import { readWebhookSecret } from "#plugins/custody/webhook/verifyWebhook.ts";
import {
	createDeliveries,
	createWebhooks,
	type Webhooks,
	webhookRoutes,
} from "#plugins/custody/webhook/webhookRoutes.ts";

describe("createDeliveries", () => {
	const clock = { ms: 0, nowMs: () => clock.ms };

	test("a delivery is accepted once within the time in which its signature is valid", () => {
		const deliveries = createDeliveries(clock);
		expect(deliveries.take("a")).toBe(true);
		expect(deliveries.take("a")).toBe(false);
		expect(deliveries.take("b")).toBe(true);
		// Signed five minutes ahead of us, it would pass until five minutes behind.
		clock.ms += 599_999;
		expect(deliveries.take("a")).toBe(false);
		clock.ms += 1;
		// Now the provider would have had to sign it anew: somebody there sends it again on purpose.
		expect(deliveries.take("a")).toBe(true);
	});

	test("a delivery whose handling failed is accepted again", () => {
		const deliveries = createDeliveries(clock);
		deliveries.take("a");
		deliveries.giveBack("a");
		expect(deliveries.take("a")).toBe(true);
	});

	test("a bounded number of deliveries is remembered, the newest ones", () => {
		const deliveries = createDeliveries(clock, { max: 2 });
		for (const id of ["a", "b", "c"]) deliveries.take(id);
		expect(deliveries.take("c")).toBe(false);
		expect(deliveries.take("b")).toBe(false);
		expect(deliveries.take("a")).toBe(true);
	});
});

describe("createWebhooks", () => {
	// Guarantee: a webhook has the request that it names looked at and does nothing else, whatever it
	// says and how often.

	const SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
	const REFERENCE = "0199a8f3-5b1c-7cc2-9d11-0c8d6a1f2b3c";
	const clock = { ms: 1_763_000_000_000, nowMs: () => clock.ms };

	let webhooks: Webhooks;
	let metrics: ReturnType<typeof createMetrics>;
	let lookedAt: string[];
	let look: Look;
	let sent = 0;

	beforeEach(() => {
		const key = readWebhookSecret(SECRET);
		if (!key) throw new Error("no secret");
		metrics = createMetrics();
		lookedAt = [];
		look = async (reference) => lookedAt.push(reference) > 0;
		webhooks = createWebhooks(key, { look: (reference) => look(reference), clock, metrics });
	});

	type Said = { type?: string; id?: string; about?: string | null };

	async function say({ type = "transaction.confirmed", ...said }: Said = {}): Promise<string> {
		const { id = `msg_${sent++}`, about = REFERENCE } = said;
		const body = JSON.stringify({
			type,
			caip2: "eip155:31337",
			transaction_hash: `0x${"ab".repeat(32)}`,
			transaction_id: "t",
			wallet_id: "w",
			...(about !== null && { reference_id: about }),
		});
		const headers = new Headers(signDelivery({ id, secret: SECRET, nowMs: clock.ms, body }));
		return await webhooks.receive({ headers, body: Buffer.from(body) });
	}

	const counted = async () => (await metrics.expose()).body;

	test("an event of a transaction only triggers a look-up, and its other content is not used", async () => {
		for (const type of ["confirmed", "failed", "replaced", "provider_error", "still_pending"]) {
			expect(await say({ type: `transaction.${type}` })).toBe("woken");
		}
		expect(lookedAt).toEqual(Array(5).fill(REFERENCE));
	});

	describe("a delivery that was accepted before", () => {
		test("a repeated delivery is answered, and has no effect", async () => {
			expect(await say({ id: "msg_once" })).toBe("woken");
			expect(await say({ id: "msg_once" })).toBe("repeated");
			expect(lookedAt).toHaveLength(1);
			expect(await say({ id: "msg_another" })).toBe("woken");
		});

		test("of two simultaneous equal deliveries one has an effect", async () => {
			const outcomes = await Promise.all([say({ id: "msg_two" }), say({ id: "msg_two" })]);
			expect(outcomes.sort()).toEqual(["repeated", "woken"]);
		});

		test("a repeated delivery has an effect if the first one failed on our side", async () => {
			const looks = look;
			look = async () => {
				throw new Error("the database is away");
			};
			await expect(say({ id: "msg_again" })).rejects.toThrow("away");
			look = looks;
			expect(await say({ id: "msg_again" })).toBe("woken");
			expect(await counted()).toContain(
				'wallet_webhooks_total{event="confirmed",outcome="failed"} 1',
			);
		});
	});

	test("an event about no request of ours triggers no look-up", async () => {
		for (const about of [null, "order-17"]) {
			expect([about, await say({ about })]).toEqual([about, "idle"]);
		}
		expect(await say({ type: "user.created" })).toBe("ignored");
		expect(await say({ type: "transaction.finalized" })).toBe("ignored");
		expect(lookedAt).toEqual([]);
		look = async () => false;
		expect(await say()).toBe("idle");
	});

	describe("a flood of deliveries", () => {
		test("events about one transaction trigger at most six look-ups a minute", async () => {
			const outcomes: string[] = [];
			for (let n = 0; n < 12; n++) {
				clock.ms += 2_000;
				outcomes.push(await say());
			}
			expect(outcomes).toEqual([...Array(6).fill("woken"), ...Array(6).fill("limited")]);
			clock.ms += 60_000;
			expect(await say()).toBe("woken");
		});

		test("events about many transactions trigger at most twenty look-ups a second", async () => {
			for (let n = 0; n < 30; n++) await say({ about: Bun.randomUUIDv7() });
			expect(lookedAt).toHaveLength(20);
			expect(await say()).toBe("limited");
			clock.ms += 1_000;
			expect(await say()).toBe("woken");
		});
	});

	test("a refused delivery is counted, and its body is not read", async () => {
		const refusal = async (body: string, headers: Record<string, string>) => {
			try {
				return await webhooks.receive({ headers: new Headers(headers), body: Buffer.from(body) });
			} catch (error) {
				if (error instanceof Fault) return `${error.status} ${error.code}`;
				throw error;
			}
		};
		const signed = (body: string, secret = SECRET) =>
			signDelivery({ id: "msg_x", secret, nowMs: clock.ms, body });
		const body = JSON.stringify({
			type: "transaction.failed",
			transaction_id: "t",
			reference_id: REFERENCE,
		});
		const other = `whsec_${Buffer.alloc(24, 8).toString("base64")}`;
		expect(await refusal(body, signed(body, other))).toBe("401 webhook_signature");
		expect(await refusal(body, {})).toBe("400 webhook_headers");
		expect(await refusal("7", signed("7"))).toBe("422 webhook_event");
		const huge = " ".repeat(65_537);
		expect(await refusal(huge, signed(huge))).toBe("413 webhook_too_large");
		expect(lookedAt).toEqual([]);
		expect(await counted()).toContain('wallet_webhooks_total{event="unread",outcome="refused"} 4');
		// The forged one took nobody's place.
		expect(await refusal(body, signed(body))).toBe("woken");
	});
});

describe("webhookRoutes", () => {
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

	test("a webhook is verified over the bytes as they were received", async () => {
		const answer = await post();
		expect(answer).toMatchObject({ status: 200, body: { outcome: "woken" } });
		expect(answer.headers.get("cache-control")).toBe("no-store");
		expect(woken).toEqual([REFERENCE]);
		const type = "application/json; charset=utf-8";
		expect((await post({ headers: { "content-type": type } })).status).toBe(200);
		expect((await post({ body: '{"type":"user.created"}' })).body).toEqual({ outcome: "ignored" });
	});

	test("without a secret the webhook's path answers 404, and does not say what is missing", async () => {
		app = open(null);
		expect(await post()).toMatchObject(refused(404, "not_found"));
		const elsewhere = await post({ path: "/v1/webhooks/another" });
		expect(elsewhere).toMatchObject(refused(404, "not_found"));
	});

	test("[SEC-03] a webhook needs no Origin, and a request with a cookie still does", async () => {
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

	describe("a refused webhook gets a problem, and has no effect", () => {
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

	test("valid deliveries have no rate limit, and refused ones have the limit of every client", async () => {
		for (let n = 0; n < 30; n++) {
			expect(await post({ body: '{"type":"user.created"}' })).toMatchObject({ status: 200 });
		}
		const forged = { headers: { "svix-signature": "v1,AAAA" } };
		for (let n = 0; n < 20; n++)
			expect(await post(forged)).toMatchObject(refused(401, "webhook_signature"));
		expect(await post(forged)).toMatchObject(refused(429, "rate_limited"));
		expect(await post()).toMatchObject({ status: 200 });
	});

	test("[SEC-07] no answer and no log line has the secret, a signature, or the delivery's content", async () => {
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

	test("the OpenAPI document describes the webhook's body and its failures", () => {
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
});
