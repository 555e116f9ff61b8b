import { beforeEach, describe, expect, test } from "bun:test";
import { Fault } from "#core/fault/Fault.ts";
import { createMetrics } from "#core/metrics/createMetrics.ts";
import type { Look } from "#plugins/custody/contract.ts";
import { createWebhooks, type Webhooks } from "#plugins/custody/webhook/createWebhooks.ts";
import { readWebhookSecret } from "#plugins/custody/webhook/readWebhookSecret.ts";
import { signDelivery } from "#plugins/custody/webhook/testing/signDelivery.ts";

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

test("whatever it says of a transaction, it is a reference to look at", async () => {
	for (const type of ["confirmed", "failed", "replaced", "provider_error", "still_pending"]) {
		expect(await say({ type: `transaction.${type}` })).toBe("woken");
	}
	expect(lookedAt).toEqual(Array(5).fill(REFERENCE));
});

describe("a delivery that was taken before", () => {
	test("is answered, and changes nothing", async () => {
		expect(await say({ id: "msg_once" })).toBe("woken");
		expect(await say({ id: "msg_once" })).toBe("repeated");
		expect(lookedAt).toHaveLength(1);
		expect(await say({ id: "msg_another" })).toBe("woken");
	});

	test("of two at once, one counts", async () => {
		const outcomes = await Promise.all([say({ id: "msg_two" }), say({ id: "msg_two" })]);
		expect(outcomes.sort()).toEqual(["repeated", "woken"]);
	});

	test("counts where it came to nothing on our side", async () => {
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

test("nothing is looked at by what is not about a request of ours", async () => {
	for (const about of [null, "order-17"]) {
		expect([about, await say({ about })]).toEqual([about, "idle"]);
	}
	expect(await say({ type: "user.created" })).toBe("ignored");
	expect(await say({ type: "transaction.finalized" })).toBe("ignored");
	expect(lookedAt).toEqual([]);
	look = async () => false;
	expect(await say()).toBe("idle");
});

describe("a flood", () => {
	test("about one transaction has it looked at six times a minute at most", async () => {
		const outcomes: string[] = [];
		for (let n = 0; n < 12; n++) {
			clock.ms += 2_000;
			outcomes.push(await say());
		}
		expect(outcomes).toEqual([...Array(6).fill("woken"), ...Array(6).fill("limited")]);
		clock.ms += 60_000;
		expect(await say()).toBe("woken");
	});

	test("about many leaves the turns of looks to others: twenty a second", async () => {
		for (let n = 0; n < 30; n++) await say({ about: Bun.randomUUIDv7() });
		expect(lookedAt).toHaveLength(20);
		expect(await say()).toBe("limited");
		clock.ms += 1_000;
		expect(await say()).toBe("woken");
	});
});

test("what is refused is counted, and nothing of it is read", async () => {
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
