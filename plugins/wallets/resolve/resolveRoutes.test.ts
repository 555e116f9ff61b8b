import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createAudit } from "#core/audit/createAudit.ts";
import { testHttpApp } from "#core/http/testing/testHttpApp.ts";
import { createMetrics } from "#core/metrics.ts";
import { createOperators } from "#core/operators.ts";
import { UNSEEN_DROPPED_MS } from "#plugins/wallets/reconcile/looks.ts";
import { resolveRoutes } from "#plugins/wallets/resolve/resolveRoutes.ts";
import {
	type Lab,
	openExecutionLab,
	SHOP,
	SLOW_AFTER_MS,
} from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: an operator settles what nothing else settles, and only what the chain proves.

const ADMIN_KEY = "an-operator-s-key-0001";
const RESERVED = 1_000_000_000;
let database: TestDatabase;
let lab: Lab;
let by: Person;
let id: string;
let app: ReturnType<typeof testHttpApp>;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
	const { clock, deps } = lab;
	const operators = createOperators({ apiKey: ADMIN_KEY, clock, metrics: createMetrics() });
	const core = { audit: createAudit({ clock }), operators };
	const ending = new AbortController().signal;
	app = testHttpApp({ routes: [resolveRoutes({ deps, core, ending })], clock });
	by = await lab.person();
	// The wallet provider says for ever that it has it, and names no hash.
	lab.provider.state.hasTaken = true;
	lab.moods.push("keeps, silent");
	const [intent] = await lab.pay(by);
	id = intent?.id ?? "";
	await lab.tick();
	expect((await lab.intent(id)).status).toBe("uncertain");
});

async function ask(path: string, init: { body?: unknown; headers?: Record<string, string> } = {}) {
	const response = await app.handle(
		new Request(`http://localhost/v1/admin/trading/intents${path}`, {
			method: init.body === undefined ? "GET" : "POST",
			headers: {
				...{ "content-type": "application/json", "x-api-key": ADMIN_KEY },
				...{ "x-admin-actor": "ann" },
				...init.headers,
			},
			...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
		}),
	);
	const body = JSON.parse(await response.text());
	return { status: response.status, code: body.code, body };
}
const resolve = (body: unknown, of = id) => ask(`/${of}/resolve`, { body });
const audited = () =>
	database.db.query<{ entry: Record<string, unknown> }>(
		`select entry::jsonb as entry from core.audit_entry
		where entry::jsonb->>'subject' = $1 order by seq`,
		[`intent:${id}`],
	);
function mine(blocks = 4): void {
	for (let block = 0; block < blocks; block++) lab.chain.mine();
}
/** What the account sends at the intent's nonce that is not the intent's. */
const other = (nonce = 0, from = by.wallet.address) =>
	lab.chain.send({ from, to: SHOP, nonce, valueRaw: 1n, data: "0x" });

async function expectRefused(body: unknown, code: string): Promise<void> {
	expect(await resolve(body)).toMatchObject({ status: 409, code });
	expect((await lab.intent(id)).status).toBe("uncertain");
	expect(await lab.ledger(id)).toEqual({ reserve: RESERVED });
	expect(await audited()).toEqual([]);
}

test("uncertain intents are listed, the oldest first", async () => {
	const { status, body } = await ask("");
	expect(status).toBe(200);
	expect(body).toMatchObject({
		intents: [{ id, sender: by.wallet.address, nonce: 0, transactionHash: null }],
		hasMore: false,
	});
});

test("an intent that is pending for longer than its chain needs is listed, with the possible actions", async () => {
	const other = await lab.person();
	const [sent] = await lab.pay(other);
	expect((await ask("")).body.intents).toHaveLength(1);
	await lab.tick(SLOW_AFTER_MS + 1);
	const { status, body } = await ask("");
	expect(status).toBe(200);
	expect(body.intents).toMatchObject([
		{ id, reason: "in_doubt", status: "uncertain", cancellation: null },
		{ id: sent?.id, reason: "slow", status: "submitted", cancellation: null },
	]);
	for (const intent of body.intents) {
		const [action] = intent.actions;
		expect(action.name).toBe("callOff");
		expect(intent.waitsFor).toMatch(/\.$/);
		expect((await resolve({ [action.name]: true }, intent.id)).status).toBe(200);
	}
	const listed = (await ask("")).body.intents;
	expect(listed).toMatchObject([
		{ id, cancellation: { state: "sent" } },
		{ id: sent?.id, cancellation: { state: "sent" } },
	]);
	mine();
	for (let turn = 0; turn < 3; turn++) await lab.tick(400_000);
	expect((await ask("")).body).toEqual({ intents: [], hasMore: false });
});

describe("giving up a payment", () => {
	test("giving up is refused while the nonce is free, however long that is", async () => {
		await lab.tick(30 * 86_400_000);
		await expectRefused({ abandon: true }, "nonce_free");
		lab.provider.releaseKept(lab.handed[0]?.referenceId ?? "");
		lab.chain.mine();
		await lab.tick(400_000);
		expect((await lab.intent(id)).status).toBe("confirmed");
	});

	test("giving up is refused while the nonce's transaction is pending, or not deep enough", async () => {
		other();
		await expectRefused({ abandon: true }, "nonce_free");
		lab.chain.mine();
		await expectRefused({ abandon: true }, "evidence_shallow");
	});

	test("[SEC-01] giving up is accepted once another transaction used the nonce for good, and is logged", async () => {
		const hash = other();
		mine();
		const { status, body } = await resolve({ abandon: true });
		expect({ status, body }).toEqual({
			status: 200,
			body: {
				id,
				status: "failed",
				errorCode: "not_sent",
				error: { code: "not_sent", message: expect.stringContaining("nothing left the wallet") },
				transactionHash: null,
				cancellation: null,
			},
		});
		expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, release: RESERVED });
		expect((await audited()).map(({ entry }) => entry)).toMatchObject([
			{
				actor: "operator:ann",
				action: "trading.intent.resolved",
				subject: `intent:${id}`,
				detail: { claimed: "abandon", found: "never", before: "uncertain", after: "failed" },
			},
		]);
		const moves = await lab.db.query<{ detail: string }>(
			"select detail from wallets.intent_move where intent_id = $1 order by seq desc limit 1",
			[id],
		);
		expect(moves[0]?.detail).toContain(hash);
		const [next] = await lab.pay(by);
		expect(next?.status).toBe("submitted");
	});

	test("giving up a payment that was paid after all confirms it", async () => {
		lab.provider.state.lookupIsDown = true;
		lab.provider.releaseKept(lab.handed[0]?.referenceId ?? "");
		mine();
		expect((await resolve({ abandon: true })).body).toMatchObject({ status: "confirmed" });
		expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, spend: RESERVED });
	});

	test("giving up is refused if the node cannot name the nonce's user, but a hash is evidence", async () => {
		mine(300);
		const hash = other();
		mine(300);
		lab.chain.state.oldestState = 600;
		await expectRefused({ abandon: true }, "nonce_unknown");
		const named = await resolve({ transactionHash: hash });
		expect(named.body).toMatchObject({ status: "failed", errorCode: "not_sent" });
	});
});

describe("resolving by a hash", () => {
	test("the planned transaction's hash settles the intent, mined or pending", async () => {
		lab.provider.state.lookupIsDown = true;
		lab.provider.releaseKept(lab.handed[0]?.referenceId ?? "");
		const hash = lab.chain.pool()[0]?.hash ?? "";
		const told = await resolve({ transactionHash: hash.toUpperCase().replace("0X", "0x") });
		expect(told.body).toMatchObject({ status: "submitted", transactionHash: hash });
		expect(await resolve({ transactionHash: hash })).toMatchObject({ code: "nothing_new" });
		lab.chain.mine();
		expect((await resolve({ transactionHash: hash })).body).toMatchObject({ status: "confirmed" });
		expect(await resolve({ abandon: true })).toMatchObject({ status: 409, code: "intent_state" });
		expect(await audited()).toHaveLength(2);
	});

	test("a hash that is unknown, or of another account or nonce, proves nothing", async () => {
		await expectRefused({ transactionHash: `0x${"ab".repeat(32)}` }, "evidence_missing");
		const stranger = other(0, SHOP);
		const early = other(0);
		mine();
		await expectRefused({ transactionHash: stranger }, "evidence_other");
		const later = other(1);
		mine();
		await expectRefused({ transactionHash: later }, "evidence_other");
		expect((await resolve({ transactionHash: early })).body).toMatchObject({ status: "failed" });
	});

	test("a hash of another intent's transaction settles no second intent", async () => {
		const sent = lab.handed[0]?.transaction;
		if (!sent) throw new Error("nothing was handed over");
		const { from, to, valueRaw, data, nonce } = sent;
		const hash = lab.chain.send({ from, to, valueRaw, data, nonce });
		mine();
		await lab.db.execute(
			`insert into wallets.intent (id, kind, profile_id, wallet_id, chain_id, channel, status,
				request, settings, created_at, changed_at, expires_at)
			select gen_random_uuid(), kind, profile_id, wallet_id, chain_id, channel, 'confirmed',
				request, settings, created_at, changed_at, expires_at from wallets.intent`,
		);
		await lab.db.execute(
			`insert into wallets.submission (id, intent_id, step, wallet_id, chain_id, sender, state,
				transaction_hash, created_at)
			select gen_random_uuid(), id, 0, wallet_id, chain_id, $1, 'mined', $2, created_at
			from wallets.intent where status = 'confirmed'`,
			[Buffer.from(from.slice(2), "hex"), Buffer.from(hash.slice(2), "hex")],
		);
		const { body } = await resolve({ transactionHash: hash });
		expect(body).toMatchObject({ status: "failed", errorCode: "replaced" });
		expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, release: RESERVED });
	});
});

test("while a chain is unreachable nothing is resolved", async () => {
	lab.chain.state.isDown = true;
	for (const claim of [{ abandon: true }, { transactionHash: `0x${"ab".repeat(32)}` }]) {
		expect((await resolve(claim)).status).toBe(503);
	}
	expect((await lab.intent(id)).status).toBe("uncertain");
});

test("a dropped payment is not given up either before its nonce is used", async () => {
	lab.provider.releaseKept(lab.handed[0]?.referenceId ?? "");
	await lab.tick(2_000);
	lab.state.isDryRun = true;
	lab.chain.forgetPool();
	await lab.tick(UNSEEN_DROPPED_MS + 1_000);
	expect((await lab.intent(id)).status).toBe("uncertain");
	await expectRefused({ abandon: true }, "nonce_free");
	other();
	mine();
	expect((await resolve({ abandon: true })).body).toMatchObject({ status: "failed" });
});

test("[SEC-06] a resolution that cannot be written to the audit log is not done", async () => {
	other();
	mine();
	await database.db.execute(
		"alter table core.audit_entry add constraint full_disk check (seq < 0) not valid",
	);
	try {
		expect((await resolve({ abandon: true })).status).toBe(500);
		expect((await lab.intent(id)).status).toBe("uncertain");
		expect(await lab.ledger(id)).toEqual({ reserve: RESERVED });
	} finally {
		await database.db.execute("alter table core.audit_entry drop constraint full_disk");
	}
});

test("a caller without the key gets no details about an invalid request", async () => {
	for (const body of [{ abandon: true }, { nonsense: 1 }]) {
		const asked = ask(`/${id}/resolve`, { body, headers: { "x-api-key": "another" } });
		expect((await asked).status).toBe(401);
	}
	expect((await ask("", { headers: { "x-api-key": "" } })).status).toBe(401);
});

test("a claim is either a hash or giving up, for an existing intent", async () => {
	const hash = `0x${"ab".repeat(32)}`;
	for (const body of [
		{},
		{ abandon: false },
		{ abandon: true, transactionHash: hash },
		{ transactionHash: "0x12" },
		{ transactionHash: hash, status: "failed" },
	]) {
		expect([body, (await resolve(body)).status]).toEqual([body, 422]);
	}
	expect((await resolve({ abandon: true }, crypto.randomUUID())).status).toBe(404);
	expect((await resolve({ abandon: true }, "no-uuid")).status).toBe(422);
});

test("[SEC-01] an operator cancels a payment by its nonce, and the operator's name is logged", async () => {
	const called = await resolve({ callOff: true });
	expect(called).toMatchObject({
		status: 200,
		body: { status: "uncertain", cancellation: { state: "sent" } },
	});
	mine();
	for (let turn = 0; turn < 3; turn++) await lab.tick(400_000);
	expect(await lab.intent(id)).toMatchObject({ status: "failed", errorCode: "cancelled" });
	expect(lab.audited).toMatchObject([
		{ actor: "operator:ann", action: "trading.intent.cancellation_sent" },
	]);
	expect(await resolve({ callOff: true })).toMatchObject({ status: 409, code: "intent_state" });
});

test("a payment of an owner's own wallet is cancelled by its owner only, and an operator is told how", async () => {
	const owner = await lab.person({ capability: "external/manual" });
	const [asked] = await lab.pay(owner);
	if (!asked?.plan) throw new Error("nothing was planned");
	await lab.execution.signed(asked.id, lab.chain.send({ ...asked.plan, nonce: 0 }));
	await lab.tick();
	const refused = await resolve({ callOff: true }, asked.id);
	expect(refused).toMatchObject({ status: 409, code: "cancel_not_ours" });
	expect(refused.body.detail).toMatch(/only its owner .* POST \/v1\/links/);
	expect(await lab.intent(asked.id)).toMatchObject({ status: "submitted", cancellation: null });
});

describe("resolving whether the goods arrived", () => {
	test("an operator says whether it arrived only for a mined uncertain payment, and that is logged", async () => {
		await expectRefused({ arrived: true }, "intent_state");
		const detail = "receipt and balances differ";
		lab.state.missing = { code: "arrival_doubtful", detail, isDoubtful: true };
		const [paid] = await lab.pay(await lab.person());
		id = paid?.id ?? "";
		lab.chain.mine();
		await lab.tick();
		expect(await lab.intent(id)).toMatchObject({
			...{ status: "uncertain", errorCode: "arrival_doubtful" },
		});
		const { intents } = (await ask("")).body;
		expect(intents.find((one: { id: string }) => one.id === id)).toMatchObject({
			...{ reason: "arrival_doubtful", actions: [{ name: "arrived" }] },
		});
		expect(await lab.ledger(id)).toEqual({ reserve: RESERVED });
		expect(await resolve({ arrived: false })).toMatchObject({
			...{ status: 200, body: { status: "failed", errorCode: "not_received" } },
		});
		expect(await lab.ledger(id)).toEqual({ reserve: RESERVED, spend: RESERVED });
		expect(await audited()).toMatchObject([
			{ entry: { action: "trading.intent.resolved", detail: { claimed: "not_arrived" } } },
		]);
		expect(await resolve({ arrived: true })).toMatchObject({ status: 409, code: "intent_state" });
	});
});

test("an operator says that a wallet's past is known where nobody can answer whether it was paid", async () => {
	const nobody = await lab.person();
	const pay = async () => (await lab.pay(nobody, { data: "0xabcdef01" }))[0]?.id ?? "";
	await pay();
	mine();
	const valueRaw = 5n * 10n ** 17n;
	lab.chain.send({ ...{ from: nobody.wallet.address, to: SHOP, nonce: 1, valueRaw }, data: "0x" });
	lab.chain.send({
		...{ from: nobody.wallet.address, to: SHOP, nonce: 2, valueRaw, data: "0xabcdef01" },
	});
	mine();
	id = await pay();
	const waiting = (await ask("")).body.intents.find((one: { id: string }) => one.id === id);
	expect(waiting).toMatchObject({
		...{ reason: "looks_paid", status: "confirmation_required", errorCode: "looks_paid" },
		actions: [{ name: "pastKnown" }],
	});
	expect(await resolve({ pastKnown: false })).toMatchObject({ status: 422 });
	expect(await resolve({ pastKnown: true })).toMatchObject({
		...{ status: 200, body: { status: "confirmation_required" } },
	});
	expect(await audited()).toMatchObject([
		{ entry: { action: "trading.past.known", actor: "operator:ann" } },
	]);
	expect((await lab.intent(await pay())).status).toBe("submitted");
});

test("exactly one of the three claims is accepted in a request", async () => {
	for (const body of [{}, { abandon: true, callOff: true }, { callOff: false }]) {
		expect((await resolve(body)).status).toBe(422);
	}
});

test("one transaction settles only one of two intents, also if both are resolved simultaneously", async () => {
	const owner = await lab.person({ capability: "external/manual" });
	const alike = { data: "0x55" } as const;
	const intents = [...(await lab.pay(owner, alike)), ...(await lab.pay(owner, alike))];
	const [first] = intents;
	if (!first?.plan) throw new Error("nothing was planned");
	const transactionHash = lab.chain.send({ ...first.plan, nonce: 0 });
	for (const [place, intent] of intents.entries()) {
		await lab.execution.signed(intent.id, `0x${String(place + 1).repeat(64)}`);
	}
	mine();
	const answers = await Promise.all(intents.map((one) => resolve({ transactionHash }, one.id)));
	// The second finds the hash taken, or is refused it while the first one writes.
	for (const { status } of answers) expect([200, 409]).toContain(status);
	const ends = await Promise.all(intents.map(async (one) => (await lab.intent(one.id)).status));
	expect(ends.filter((end) => end === "confirmed")).toHaveLength(1);
});
