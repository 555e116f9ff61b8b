import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS } from "#core/time.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { applyFinding } from "#plugins/wallets/reconcile/applyFinding.ts";
import { reconcileSubmission } from "#plugins/wallets/reconcile/lookAtMany.ts";
import { LOOKS_APART_MAX_MS } from "#plugins/wallets/reconcile/looks.ts";
import { lookUp } from "#plugins/wallets/reconcile/lookUp.ts";
import {
	postponeQueue,
	readOpen,
	readQueues,
	reconcileJobs,
} from "#plugins/wallets/reconcile/reconcileJobs.ts";
import { FIRST_LOOK_AFTER_MS } from "#plugins/wallets/submission/nonceQueue.ts";
import { type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import { PLAN_LIFETIME_MS } from "#plugins/wallets/testing/payKind.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: what nobody waits for any more is still taken to its end, and sent by none of this.

let database: TestDatabase;
let lab: Lab;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile cascade");
	lab = openExecutionLab(database.db);
});

const open = () => readOpen(lab.db, { sendTimeoutMs: 1_000, at: new Date(lab.clock.ms) });

async function only<Item>(items: Promise<Item[]>): Promise<Item> {
	const [item, ...rest] = await items;
	if (!item || rest.length > 0) throw new Error("not one");
	return item;
}

async function find(intent: Intent) {
	const { plan } = intent;
	if (!plan) throw new Error("no plan");
	lab.clock.ms += FIRST_LOOK_AFTER_MS;
	const submission = await only(open());
	const asked = { submission, plan, rpc: lab.chain.rpc, signal: lab.signal };
	return { submission, finding: await lookUp(lab.deps, asked) };
}

test("the jobs run in one process of the cluster, each under its own name", () => {
	const jobs = reconcileJobs(lab.deps, lab.execution);
	expect(jobs.map(({ name, lock }) => ({ name, lock }))).toEqual([
		{ name: "wallets.reconcile", lock: "cluster" },
		{ name: "wallets.take-up", lock: "cluster" },
	]);
});

describe("open submissions", () => {
	test("a submission is open if it was handed over and is not final; a queued one is not", async () => {
		const by = await lab.person();
		await lab.pay(by);
		lab.clock.ms += FIRST_LOOK_AFTER_MS;
		expect(await open()).toHaveLength(1);
		await lab.db.execute("update wallets.submission set state = 'queued'");
		expect(await open()).toHaveLength(0);
		await lab.db.execute("update wallets.submission set state = 'mined', final_at = now()");
		expect(await open()).toHaveLength(0);
	});

	test("a submission that a live process is handing over is open only after a time-out", async () => {
		await lab.pay(await lab.person());
		await lab.db.execute("update wallets.submission set state = 'sending', look_at = null");
		expect(await open()).toHaveLength(0);
		lab.clock.ms += 1_000;
		expect(await open()).toHaveLength(0);
		lab.clock.ms += 1;
		expect(await open()).toHaveLength(1);
	});

	test("a submission that a dead process was handing over is open at once", async () => {
		await lab.pay(await lab.person());
		await lab.db.execute(
			"update wallets.submission set state = 'sending', session = 'is gone', look_at = null",
		);
		expect(await open()).toHaveLength(1);
	});

	test("open submissions come most overdue first, and those that are not due are left out", async () => {
		const by = await lab.person();
		const made: string[] = [];
		for (const lateMs of [1, 3, 2, -1]) {
			const [intent] = await lab.pay(by);
			made.push(intent?.id ?? "");
			await lab.db.execute("update wallets.submission set look_at = $2 where intent_id = $1", [
				intent?.id ?? "",
				new Date(lab.clock.ms - lateMs),
			]);
		}
		const places = (await open()).map(({ intentId }) => made.indexOf(intentId));
		expect(places).toEqual([1, 2, 0]);
	});

	test("a submission that a fast clock delayed for longer than allowed is open", async () => {
		await lab.pay(await lab.person());
		const putOff = (ms: number) =>
			lab.db.execute("update wallets.submission set look_at = $1", [new Date(lab.clock.ms + ms)]);
		const idle = { before: new Date(lab.clock.ms + 1), at: new Date(lab.clock.ms) };
		for (const [ms, count] of [
			[LOOKS_APART_MAX_MS, 0],
			[LOOKS_APART_MAX_MS + 1, 1],
		] as const) {
			await putOff(ms);
			expect(await open()).toHaveLength(count);
			await lab.db.execute("update wallets.submission set state = 'queued'");
			expect(await readQueues(lab.db, idle)).toHaveLength(count);
			await lab.db.execute("update wallets.submission set state = 'sent'");
		}
	});

	test("a due submission is found, however many others are looked up rarely", async () => {
		const by = await lab.person();
		await lab.pay(by);
		await lab.db.execute("update wallets.submission set state = 'never', nonce = null");
		await lab.db.execute(
			`with copies as (
				insert into wallets.intent (id, kind, profile_id, wallet_id, chain_id, channel, status,
					request, settings, created_at, changed_at, expires_at)
				select gen_random_uuid(), kind, profile_id, wallet_id, chain_id, channel, 'failed',
					request, settings, created_at, changed_at, expires_at
				from wallets.intent, generate_series(1, 250) returning id
			)
			insert into wallets.submission (id, intent_id, step, wallet_id, chain_id, sender, state,
				session, created_at, sent_at, look_at)
			select gen_random_uuid(), copies.id, 0, wallet_id, chain_id, sender, 'never', session,
				created_at, sent_at, created_at + interval '1 hour'
			from copies, wallets.submission`,
		);
		lab.chain.forgetPool();
		const [intent] = await lab.pay(by);
		await lab.tick();
		lab.chain.mine();
		await lab.tick();
		expect((await lab.intent(intent?.id ?? "")).status).toBe("confirmed");
	});

	test("a submission whose lookup fails comes after all others, and not in each run", async () => {
		await lab.pay(await lab.person());
		await lab.db.execute("update wallets.intent set chain_id = 999");
		await lab.tick(0);
		expect(await open()).toHaveLength(0);
		lab.clock.ms += 1_000;
		expect(await open()).toHaveLength(1);
	});
});

describe("a lookup", () => {
	test("a lookup finds a pending and a mined transaction", async () => {
		const [intent] = await lab.pay(await lab.person());
		if (!intent) throw new Error("no intent");
		expect((await find(intent)).finding).toMatchObject({
			kind: "seen",
			sighting: { receipt: null },
		});
		lab.chain.mine();
		expect((await find(intent)).finding).toMatchObject({
			kind: "seen",
			sighting: { receipt: { succeeded: true } },
		});
	});

	test("a lookup hands nothing over, whatever it finds", async () => {
		lab.moods.push("loses");
		const [intent] = await lab.pay(await lab.person());
		if (!intent) throw new Error("no intent");
		for (let look = 0; look < 5; look++) {
			const submission = await only(open());
			await reconcileSubmission(lab.deps, { submission, signal: lab.signal });
			lab.clock.ms += 10_000;
		}
		expect(lab.handed).toHaveLength(1);
		expect((await lab.intent(intent.id)).status).toBe("failed");
	});

	test("a lookup does not change the result of a newer one", async () => {
		const [intent] = await lab.pay(await lab.person());
		if (!intent) throw new Error("no intent");
		const stale = await find(intent);
		lab.chain.mine();
		await lab.tick();
		expect((await lab.intent(intent.id)).status).toBe("confirmed");
		await lab.db.transaction((tx) => {
			const finding = { kind: "never", code: "not_sent", detail: "an old look" } as const;
			return applyFinding(lab.deps, tx, { ...stale, finding, missing: null });
		});
		expect((await lab.intent(intent.id)).status).toBe("confirmed");
		expect(await lab.ledger(intent.id)).toEqual({ reserve: 1_000_000_000, spend: 1_000_000_000 });
	});
});

test("a batch that was confirmed in part sends nothing, and all of it ends", async () => {
	const by = await lab.person({ requireTradeConfirmation: true });
	const [one, two] = await lab.pay(by, { times: 2 });
	if (!one?.planHash || !two) throw new Error("no plan");
	await lab.execution.approve(one.id, one.planHash);
	await lab.tick(60_000);
	expect((await lab.intent(one.id)).status).toBe("created");
	await lab.tick(600_000);
	expect((await lab.intent(one.id)).status).toBe("expired");
	expect((await lab.intent(two.id)).status).toBe("expired");
	expect(lab.handed).toHaveLength(0);
});

test("an intent that its process abandoned is continued after a while, and sent once", async () => {
	const by = await lab.person();
	const [intent] = await lab.pay(by, { stays: true });
	await lab.tick(9_000);
	expect((await lab.intent(intent?.id ?? "")).status).toBe("created");
	await lab.tick(2_000);
	expect((await lab.intent(intent?.id ?? "")).status).toBe("submitted");
	await lab.tick(11_000);
	expect(lab.handed).toHaveLength(1);
});

test("a batch is continued once, and not once for each of its intents", async () => {
	await lab.pay(await lab.person(), { stays: true, times: 5 });
	const taken: (readonly string[])[] = [];
	const [, takeUp] = reconcileJobs(lab.deps, {
		...lab.execution,
		advance: async (ids) => (taken.push(ids), []),
	});
	lab.clock.ms += 11_000;
	await takeUp?.run({ signal: lab.signal });
	expect(taken).toHaveLength(1);
});

describe("queued payments", () => {
	/** One of somebody's is in doubt, and the next waits behind it. */
	async function queue() {
		const by = await lab.person();
		lab.moods.push("sends, silent");
		const [first] = await lab.pay(by);
		const [second] = await lab.pay(by);
		expect([first?.status, second?.status]).toEqual(["uncertain", "submitting"]);
		return { by, id: second?.id ?? "" };
	}
	const calledOff = async (id: string) => {
		expect(lab.handed).toHaveLength(1);
		expect(await lab.ledger(id)).toEqual({ reserve: 1_000_000_000, release: 1_000_000_000 });
		return await lab.intent(id);
	};

	test("a queued payment has a turn a second, and goes after all others after each wait", async () => {
		await queue();
		const ready = () => {
			const at = new Date(lab.clock.ms);
			return readQueues(lab.db, { before: new Date(lab.clock.ms + 60_000), at });
		};
		const [first, ...more] = await ready();
		if (!first || more.length > 0) throw new Error("not one");
		// As the job does before it takes it up.
		await postponeQueue(lab.deps, first);
		expect(await ready()).toEqual([]);
		lab.clock.ms += 1_000;
		const other = await lab.person();
		await lab.db.execute(
			`insert into wallets.submission (id, intent_id, step, wallet_id, chain_id, sender, state,
				created_at)
			select gen_random_uuid(), intent_id, 1, $1, 7, sender, 'queued', $2
			from wallets.submission where state = 'queued'`,
			[other.wallet.id, new Date(lab.clock.ms - 5_000)],
		);
		expect((await ready()).map(({ walletId }) => walletId)).toEqual([
			...[other.wallet.id, first.walletId],
		]);
	});

	test("[TRD-08] a queued payment waits for uncertain ones of its account and chain only", async () => {
		for (const state of ["doubtful", "dropped"]) {
			const { by, id } = await queue();
			const set = (what: string) =>
				lab.db.execute(`update wallets.submission set ${what} where nonce = 0 and wallet_id = $1`, [
					by.wallet.id,
				]);
			await set(`state = '${state}', final_at = now()`);
			const before = lab.handed.length;
			await lab.tick();
			expect(lab.handed).toHaveLength(before);
			await set("chain_id = 1");
			lab.chain.mine();
			await lab.tick();
			expect(lab.handed).toHaveLength(before + 1);
			expect((await lab.intent(id)).status).toBe("submitted");
		}
	});

	test("a queued payment is not sent after its plan has expired", async () => {
		const { id } = await queue();
		await lab.tick(PLAN_LIFETIME_MS + 1);
		await lab.tick();
		expect(await calledOff(id)).toMatchObject({ status: "failed", errorCode: "quote_expired" });
	});

	test("a queued payment also expires if the one before it stays uncertain", async () => {
		const by = await lab.person();
		lab.moods.push("keeps, silent");
		await lab.pay(by);
		const [second] = await lab.pay(by);
		lab.provider.state.lookupIsDown = true;
		await lab.tick(PLAN_LIFETIME_MS + 1);
		await lab.tick(3_600_000);
		expect(await calledOff(second?.id ?? "")).toMatchObject({
			status: "failed",
			errorCode: "quote_expired",
		});
	});

	test("a queued payment is not sent by a process in a dry run", async () => {
		const { id } = await queue();
		lab.state.isDryRun = true;
		await lab.tick(12_000);
		await lab.tick();
		expect(await calledOff(id)).toMatchObject({ status: "failed", errorCode: "trading_disabled" });
	});

	test("a queued payment does not wait without end for a chain that was removed", async () => {
		const { id } = await queue();
		await lab.tick(1_000);
		const takeUp = reconcileJobs({ ...lab.deps, rpcOf: () => null }, lab.execution)[1];
		lab.clock.ms += 12_000;
		await takeUp?.run({ signal: lab.signal });
		expect(await calledOff(id)).toMatchObject({ status: "failed", errorCode: "chain_unavailable" });
	});

	test("a queued payment is not sent by a wallet that was unlinked meanwhile", async () => {
		const { by, id } = await queue();
		await lab.db.execute("update wallets.wallet set removed_at = now() where id = $1", [
			by.wallet.id,
		]);
		await lab.tick(12_000);
		await lab.tick();
		expect(await calledOff(id)).toMatchObject({ errorCode: "no_executable_wallet" });
	});
});

test("an intent that was not continued in its time expires unsent", async () => {
	const [intent] = await lab.pay(await lab.person(), { stays: true });
	await lab.tick(120_000);
	expect((await lab.intent(intent?.id ?? "")).status).toBe("expired");
	expect(lab.handed).toHaveLength(0);
});

test("a payment that a clock an hour ahead delayed is looked up once the clock is right again", async () => {
	const [paid] = await lab.pay(await lab.person());
	await lab.tick(HOUR_MS);
	lab.clock.ms -= HOUR_MS;
	lab.chain.mine();
	await lab.tick();
	expect((await lab.intent(paid?.id ?? "")).status).toBe("confirmed");
});
