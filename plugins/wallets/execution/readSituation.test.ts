import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Tx } from "#core/db/Database.ts";
import { switchLockKey } from "#plugins/wallets/control/kill.ts";
import { type PlannedIntent, readSituation } from "#plugins/wallets/execution/readSituation.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { CHAIN_ID, type Lab, openExecutionLab } from "#plugins/wallets/testing/executionLab.ts";
import type { Person } from "#plugins/wallets/testing/insertPerson.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a decision that waited for a lock reads what stood once it had it, of everything.

let database: TestDatabase;
let lab: Lab;
let by: Person;
let intent: Intent;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
	await database.db.execute("truncate wallets.profile, wallets.control cascade");
	lab = openExecutionLab(database.db);
	by = await lab.person();
	const [paid] = await lab.pay(by);
	if (!paid) throw new Error("nothing was recorded");
	intent = paid;
	await lab.db.execute("update wallets.intent set status = 'created'");
	await lab.db.execute("delete from wallets.spend_entry");
	await lab.db.execute("delete from wallets.submission");
});

const account = {
	...{ balanceRaw: 10n ** 18n, minedNonce: 0, pendingNonce: 0, headBlock: 1 },
	...{ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
};

function situationNow() {
	const plan = { chainId: CHAIN_ID, from: by.wallet.address, recipient: null };
	const planned = [{ intent, plan } as PlannedIntent];
	const at = new Date(lab.clock.ms);
	return lab.db.transaction((tx) => readSituation(lab.deps, tx, { planned, account, at }));
}

async function untilSomebodyWaits(): Promise<void> {
	const waits = `select 1 from pg_stat_activity
		where datname = current_database() and wait_event_type = 'Lock'`;
	while ((await database.db.query(waits)).length === 0);
}

/** Changes all that a decision reads. */
async function changeAll(tx: Tx): Promise<void> {
	await tx.execute("update wallets.wallet set capability = 'disabled'");
	await tx.execute("update wallets.intent set status = 'rejected'");
	await tx.execute(
		"insert into wallets.control (key, value, changed_by, changed_at) values ('kill:all', 'true', 'a', now())",
	);
	await tx.execute(
		`insert into wallets.spend_entry (intent_id, profile_id, wallet_id, kind, chain_id, currency,
			amount_raw, usd_micros, at)
		select id, profile_id, wallet_id, 'reserve', chain_id, $1, 1, 7, $2 from wallets.intent`,
		[new Uint8Array(20), new Date(lab.clock.ms)],
	);
	await tx.execute(
		`insert into wallets.submission (id, intent_id, step, wallet_id, chain_id, sender, gas_limit,
			state, nonce, session, created_at)
		select $1::uuid, i.id, 0, i.wallet_id, i.chain_id, w.address, 21000, 'sending', 3, 's', $2
		from wallets.intent i join wallets.wallet w on w.id = i.wallet_id`,
		[Bun.randomUUIDv7(), new Date(lab.clock.ms)],
	);
}

test("a decision without concurrent writers reads the committed values", async () => {
	expect(await situationNow()).toMatchObject({
		...{ isStillCreated: true, killed: null, spentToday: 0n, known: [null] },
		profile: { id: by.profile.id, wallets: [{ capability: "embedded/delegated" }] },
		queue: { isSending: false, held: [], ownCount: null, promisedRaw: 0n },
	});
});

for (const table of ["profile", "intent"] as const) {
	test(`a decision that waited for a row of ${table} reads the values written meanwhile`, async () => {
		let reading: ReturnType<typeof situationNow> | undefined;
		await lab.db.transaction(async (tx) => {
			await tx.query(`select 1 from wallets.${table} for no key update`);
			reading = situationNow();
			await untilSomebodyWaits();
			await changeAll(tx);
		});
		expect(await reading).toMatchObject({
			...{ isStillCreated: false, killed: { code: "trading_disabled" }, spentToday: 7n },
			profile: { wallets: [{ capability: "disabled" }] },
			queue: { isSending: true, held: [{ nonce: 3, state: "sending" }], ownCount: 4 },
		});
	});
}

test("a decision that waited for the kill switches reads their values after the wait", async () => {
	let reading: ReturnType<typeof situationNow> | undefined;
	await lab.db.transaction(async (tx) => {
		await tx.query("select pg_advisory_xact_lock($1)", [switchLockKey]);
		reading = situationNow();
		await untilSomebodyWaits();
		await tx.execute(
			"insert into wallets.control (key, value, changed_by, changed_at) values ('kill:all', 'true', 'a', now())",
		);
	});
	expect(await reading).toMatchObject({ killed: { code: "trading_disabled" } });
});

test("each of several wallets is read once, with the payer's nonces", async () => {
	await lab.db.transaction(changeAll);
	await lab.db.execute(
		`insert into wallets.wallet (id, profile_id, address, chain_id, capability, created_at)
		values ($1, $2, $3, $4, 'external/manual', now() - interval '1 year')`,
		[Bun.randomUUIDv7(), by.profile.id, new Uint8Array(20).fill(9), CHAIN_ID],
	);
	const situation = await situationNow();
	expect(situation?.profile?.wallets.map(({ capability }) => capability)).toEqual([
		"external/manual",
		"disabled",
	]);
	expect(situation?.queue.held).toHaveLength(1);
});
