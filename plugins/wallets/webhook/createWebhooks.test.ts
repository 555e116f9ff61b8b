import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Queryable } from "#core/db/Database.ts";
import { Fault } from "#core/fault/Fault.ts";
import { createMetrics } from "#core/metrics/createMetrics.ts";
import { MINUTE_MS } from "#core/time/units.ts";
import { readOpen } from "#plugins/wallets/reconcile/reconcileJobs.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createWebhooks, type Webhooks } from "#plugins/wallets/webhook/createWebhooks.ts";
import { readWebhookSecret } from "#plugins/wallets/webhook/readWebhookSecret.ts";
import { signDelivery } from "#plugins/wallets/webhook/testing/signDelivery.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a webhook has us look sooner and does nothing else, whatever it says and how often.

const SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const RESERVED = 1_000_000_000;

let database: TestDatabase;
let lab: Lab;
let by: Person;
let intent: string;
let reference: string;
let webhooks: Webhooks;
let metrics: ReturnType<typeof createMetrics>;
let sent = 0;

beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	by = await lab.person();
	({ intent, reference } = await uncertain());
	metrics = createMetrics();
	webhooks = open();
});

function open(db: Queryable = lab.db): Webhooks {
	const key = readWebhookSecret(SECRET);
	if (!key) throw new Error("no secret");
	return createWebhooks(key, { db, clock: lab.clock, metrics });
}

/** It left, the wallet provider does not say so, and the next look is an hour away. */
async function uncertain(): Promise<{ intent: string; reference: string }> {
	lab.moods.push("sends, silent");
	const [made] = await lab.pay(by);
	const reference = lab.handed.at(-1)?.referenceId ?? "";
	await sleepLong(reference);
	return { intent: made?.id ?? "", reference };
}

const sleepLong = (id: string) =>
	lab.db.execute("update wallets.submission set look_at = $2 where id = $1", [
		id,
		new Date(lab.clock.ms + 20 * MINUTE_MS),
	]);
const due = async () => {
	const open = await readOpen(lab.db, { sendTimeoutMs: 1_000, at: new Date(lab.clock.ms) });
	return open.map(({ id }) => id);
};
const status = async () => (await lab.intent(intent)).status;

type Said = { type?: string; id?: string; about?: string | null; to?: Webhooks };

async function say({ type = "transaction.confirmed", ...said }: Said = {}): Promise<string> {
	const { id = `msg_${sent++}`, about = reference, to = webhooks } = said;
	const body = JSON.stringify({
		type,
		caip2: "eip155:31337",
		transaction_hash: `0x${"ab".repeat(32)}`,
		transaction_id: "t",
		wallet_id: "w",
		...(about !== null && { reference_id: about }),
	});
	const headers = new Headers(signDelivery({ id, secret: SECRET, nowMs: lab.clock.ms, body }));
	return await to.receive({ headers, body: Buffer.from(body) });
}

test("what is in doubt is settled in the next turn after its webhook, and not before", async () => {
	lab.chain.mine();
	await lab.tick();
	expect(await status()).toBe("uncertain");
	expect(await say()).toBe("woken");
	// Nothing is settled by the webhook itself.
	expect(await status()).toBe("uncertain");
	await lab.tick();
	expect(await status()).toBe("confirmed");
	expect(await lab.ledger(intent)).toEqual({ reserve: RESERVED, spend: RESERVED });
});

describe("a webhook that lies", () => {
	for (const type of ["failed", "replaced", "provider_error", "execution_reverted"]) {
		test(`"${type}" about what was mined gives nothing back`, async () => {
			lab.chain.mine();
			expect(await say({ type: `transaction.${type}` })).toBe("woken");
			expect(await status()).toBe("uncertain");
			expect(await lab.ledger(intent)).toEqual({ reserve: RESERVED });
			await lab.tick();
			expect(await status()).toBe("confirmed");
			expect(await lab.ledger(intent)).toEqual({ reserve: RESERVED, spend: RESERVED });
		});
	}

	test('"failed" about what is on its way gives nothing back, and sends nothing again', async () => {
		await say({ type: "transaction.failed" });
		await lab.tick();
		expect(await status()).toBe("submitted");
		expect(await lab.ledger(intent)).toEqual({ reserve: RESERVED });
		expect(lab.handed).toHaveLength(1);
	});

	test('"confirmed" about what never left settles nothing', async () => {
		lab.moods.push("loses");
		const [other] = await lab.pay(await lab.person());
		const lost = lab.handed.at(-1)?.referenceId ?? "";
		await sleepLong(lost);
		expect(await say({ about: lost })).toBe("woken");
		await lab.tick();
		expect((await lab.intent(other?.id ?? "")).status).toBe("uncertain");
		expect(await lab.ledger(other?.id ?? "")).toEqual({ reserve: RESERVED });
	});
});

test("in whatever order they come, one transaction is settled once", async () => {
	lab.chain.mine();
	for (const type of ["confirmed", "broadcasted", "failed", "confirmed"]) {
		await say({ type: `transaction.${type}` });
		await lab.tick();
	}
	expect(await status()).toBe("confirmed");
	expect(await lab.moves(intent)).toEqual(["reserve", "doubt", "mined"]);
	expect(await lab.ledger(intent)).toEqual({ reserve: RESERVED, spend: RESERVED });
});

describe("a delivery that was taken before", () => {
	test("is answered, and changes nothing", async () => {
		expect(await say({ id: "msg_once" })).toBe("woken");
		await sleepLong(reference);
		expect(await say({ id: "msg_once" })).toBe("repeated");
		expect(await due()).toEqual([]);
		expect(await say({ id: "msg_another" })).toBe("woken");
		expect(await due()).toEqual([reference]);
	});

	test("of two at once, one counts", async () => {
		const outcomes = await Promise.all([say({ id: "msg_two" }), say({ id: "msg_two" })]);
		expect(outcomes.sort()).toEqual(["repeated", "woken"]);
	});

	test("counts where it came to nothing on our side", async () => {
		const state = { isDown: true };
		const away: Queryable = {
			...lab.db,
			async execute(...asked) {
				if (state.isDown) throw new Error("the database is away");
				return lab.db.execute(...asked);
			},
		};
		const to = open(away);
		await expect(say({ id: "msg_again", to })).rejects.toThrow("away");
		state.isDown = false;
		expect(await say({ id: "msg_again", to })).toBe("woken");
		expect((await metrics.expose()).body).toContain(
			'wallet_webhooks_total{event="confirmed",outcome="failed"} 1',
		);
	});
});

describe("nothing is woken", () => {
	test("by what is not about one of ours", async () => {
		for (const about of [null, "order-17", Bun.randomUUIDv7(), intent]) {
			expect([about, await say({ about })]).toEqual([about, "idle"]);
		}
		expect(await say({ type: "user.created" })).toBe("ignored");
		expect(await say({ type: "transaction.finalized" })).toBe("ignored");
		expect(await due()).toEqual([]);
	});

	test("that is final, waits in line, or is due already, which keeps its place", async () => {
		const states = [
			"final_at = now()",
			"state = 'queued', final_at = null",
			"state = 'doubtful', look_at = null",
			`look_at = to_timestamp(${lab.clock.ms / 1_000 - 5})`,
		];
		const lookAt = () =>
			lab.db.query<{ look_at: Date | null }>("select look_at from wallets.submission");
		for (const state of states) {
			await lab.db.execute(`update wallets.submission set ${state}`);
			const before = await lookAt();
			expect([state, await say()]).toEqual([state, "idle"]);
			expect(await lookAt()).toEqual(before);
		}
	});
});

describe("a flood", () => {
	test("about one transaction has it looked at six times a minute at most", async () => {
		const outcomes: string[] = [];
		for (let n = 0; n < 12; n++) {
			lab.clock.ms += 2_000;
			outcomes.push(await say());
			await sleepLong(reference);
		}
		expect(outcomes).toEqual([...Array(6).fill("woken"), ...Array(6).fill("limited")]);
		lab.clock.ms += 60_000;
		expect(await say()).toBe("woken");
	});

	test("about many leaves the reconciler's turns to others: twenty a second", async () => {
		const outcomes: string[] = [];
		for (let n = 0; n < 30; n++) outcomes.push(await say({ about: Bun.randomUUIDv7() }));
		expect(outcomes.filter((one) => one === "limited")).toHaveLength(10);
		expect(await say()).toBe("limited");
		lab.clock.ms += 1_000;
		expect(await say()).toBe("woken");
	});

	test("stands in line behind what was due before it", async () => {
		by = await lab.person();
		const late = await uncertain();
		await lab.db.execute("update wallets.submission set look_at = $2 where id = $1", [
			late.reference,
			new Date(lab.clock.ms - 1),
		]);
		expect(await say()).toBe("woken");
		expect(await due()).toEqual([late.reference, reference]);
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
		signDelivery({ id: "msg_x", secret, nowMs: lab.clock.ms, body });
	const body = JSON.stringify({
		type: "transaction.failed",
		transaction_id: "t",
		reference_id: reference,
	});
	const other = `whsec_${Buffer.alloc(24, 8).toString("base64")}`;
	expect(await refusal(body, signed(body, other))).toBe("401 webhook_signature");
	expect(await refusal(body, {})).toBe("400 webhook_headers");
	expect(await refusal("7", signed("7"))).toBe("422 webhook_event");
	const huge = " ".repeat(65_537);
	expect(await refusal(huge, signed(huge))).toBe("413 webhook_too_large");
	expect(await due()).toEqual([]);
	expect((await metrics.expose()).body).toContain(
		'wallet_webhooks_total{event="unread",outcome="refused"} 4',
	);
	// The forged one took nobody's place.
	expect(await refusal(body, signed(body))).toBe("woken");
});
