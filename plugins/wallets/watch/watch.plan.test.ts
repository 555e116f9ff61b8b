import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Database, SqlValue } from "#core/db/Database.ts";
import { countOpen } from "#plugins/wallets/watch/createWatch.ts";
import { createLedgerCheck, readLedgerFlaws } from "#plugins/wallets/watch/ledgerCheck.ts";
import { readHeldNonces, readWaiting } from "#plugins/wallets/watch/readWaiting.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: however much was settled, watching what waits reads what waits.

const ROWS = 40_000;
let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.transaction(async (tx) => {
		await tx.execute("set local session_replication_role = replica");
		const series = `from (select n, lpad(to_hex(n), 32, '0')::uuid as id
			from generate_series(1, ${ROWS}) as n) as t`;
		const status = "case when n % 1000 = 0 then 'submitted' else 'confirmed' end";
		await tx.execute(`insert into wallets.intent (id, kind, profile_id, chain_id, channel, status,
				wallet_id, request, settings, created_at, changed_at, expires_at)
			select id, 'a', id, 1, 'api', ${status}, id, '{}', '{}', now(), now(), now() ${series}`);
		const account = "decode(lpad(to_hex(n), 40, '0'), 'hex')";
		await tx.execute(`insert into wallets.spend_entry (intent_id, profile_id, wallet_id, kind,
				chain_id, currency, amount_raw, usd_micros, at)
			select id, id, id, 'reserve', 1, ${account}, 1, 1, now() ${series}`);
		await tx.execute(`insert into wallets.submission (id, intent_id, step, wallet_id, chain_id,
				sender, state, nonce, created_at, final_at, final_tx)
			select id, id, 0, id, 1, ${account}, 'mined', n, now(), now(), n ${series}`);
		await tx.execute(`insert into wallets.wallet (id, profile_id, address, chain_id, capability,
				created_at)
			select id, id, ${account}, 1, 'embedded/delegated', now() ${series}`);
	});
	await database.db.execute("analyze");
});
afterAll(() => database?.drop());

/** Plans of all that is asked. */
async function plansOf(ask: (db: Database) => Promise<unknown>): Promise<string> {
	const plans: string[] = [];
	const query: Database["query"] = async <Row>(text: string, values?: readonly SqlValue[]) => {
		const rows = await database.db.query<{ "QUERY PLAN": string }>(`explain ${text}`, values);
		plans.push(...rows.map((row) => row["QUERY PLAN"]));
		return database.db.query<Row>(text, values);
	};
	await ask({ ...database.db, query });
	return plans.join("\n");
}

const slowAfter = { defaultMs: 0, byChain: new Map([[7, 1]]) };
const nowMs = Date.now() + 60_000;

test("waiting intents are read by the index of open ones", async () => {
	const plan = await plansOf((db) => readWaiting(db, { slowAfter, nowMs, limit: 10 }));
	expect(plan).toContain("intent_open");
	expect(plan).not.toMatch(/Seq Scan on (intent|submission|wallet)\b/);
});

test("open intents are counted by the index of open ones", async () => {
	const plan = await plansOf(countOpen);
	expect(plan).toContain("intent_open");
	expect(plan).not.toContain("Seq Scan");
});

test("nonces of accounts are read by the index of nonces", async () => {
	const plan = await plansOf((db) =>
		readHeldNonces(db, [{ chainId: 1, sender: `0x${"0".repeat(39)}1` }]),
	);
	expect(plan).toContain("submission_nonce");
	expect(plan).not.toContain("Seq Scan");
});

test("a run of the ledger check reads pages, and the entries of their intents", async () => {
	const plan = await plansOf((db) => createLedgerCheck(db).turn());
	expect(plan).not.toMatch(/Seq Scan on intent\b/);
	const few = await plansOf((db) =>
		readLedgerFlaws(db, [`${"0".repeat(8)}-0000-0000-0000-000000000001`]),
	);
	expect(few).toContain("spend_of_intent");
	expect(few).not.toContain("Seq Scan");
});
