import { afterAll, beforeAll, expect, test } from "bun:test";
import { windowSql } from "#core/audit/bookSql.ts";
import { walletsBook } from "#plugins/wallets/walletsBook.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const ROWS = 40_000;
/** A second of a busy service, with two transactions that were open for some time. */
const WINDOW = {
	from: { tx: ROWS - 300, open: [ROWS - 2_000] },
	to: { tx: ROWS, open: [ROWS - 1_000] },
};

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.transaction(async (tx) => {
		await tx.execute("set local session_replication_role = replica");
		const series = `from (select n, lpad(to_hex(n), 32, '0')::uuid as id
			from generate_series(1, ${ROWS}) as n) as t`;
		await tx.execute(`insert into wallets.intent (id, kind, profile_id, chain_id, channel, status,
				request, settings, created_at, changed_at, expires_at)
			select id, 'a', id, 1, 'api', 'rejected', '{}', '{}', now(), now(), now() ${series}`);
		await tx.execute(`insert into wallets.intent_move
				(intent_id, seq, event, from_status, to_status, at, tx)
			select id, 1, 'deny', 'created', 'rejected', now(), n ${series}`);
		const account = "decode(repeat('00', 20), 'hex')";
		await tx.execute(`insert into wallets.spend_entry (intent_id, profile_id, wallet_id, kind,
				chain_id, currency, amount_raw, usd_micros, at, tx)
			select id, id, id, 'reserve', 1, ${account}, 1, 1, now(), n ${series}`);
		await tx.execute(`insert into wallets.submission (id, intent_id, step, wallet_id, chain_id,
				sender, state, created_at, final_at, final_tx)
			select id, id, 0, id, 1, ${account}, 'mined', now(), now(), n ${series}`);
	});
	await database.db.execute("analyze");
});
afterAll(() => database.drop());

const INDEXES: Record<string, RegExp> = {
	spend_entry: /Index Scan on spend_tx/,
	intent_move: /Index Scan on move_tx/,
	intent: /Index Scan on move_tx[\s\S]*intent_pkey|intent_pkey[\s\S]*Index Scan on move_tx/,
	submission: /Index Scan on submission_final_tx/,
};

for (const source of walletsBook.sources) {
	// However much there is, sealing what is new reads what is new.
	test(`new rows of ${source.name} are found by an index`, async () => {
		const rows = await database.db.query<{ "QUERY PLAN": string }>(
			`explain select key, hash from (${source.rows}) as covered order by key`,
			windowSql.values(WINDOW),
		);
		const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
		expect(plan).toMatch(INDEXES[source.name] ?? /no such source/);
		expect(plan).not.toContain("Seq Scan");
	});
}
