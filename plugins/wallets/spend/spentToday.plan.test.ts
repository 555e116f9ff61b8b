import { afterAll, beforeAll, expect, test } from "bun:test";
import { spentTodaySql } from "#plugins/wallets/execution/readSituation.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: a day of many spends is added up from one index, at each decision.

const ROWS = 20_000;
const PROFILE = "00000000-0000-0000-0000-000000000001";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.transaction(async (tx) => {
		await tx.execute("set local session_replication_role = replica");
		await tx.execute(`insert into wallets.spend_entry (intent_id, profile_id, wallet_id, kind,
				chain_id, currency, amount_raw, usd_micros, at, tx)
			select lpad(to_hex(n), 32, '0')::uuid, lpad(to_hex(n % 10), 32, '0')::uuid,
				lpad(to_hex(n % 10), 32, '0')::uuid, kind, 1, decode(repeat('00', 20), 'hex'), 1, 1,
				now(), n
			from generate_series(1, ${ROWS}) as n, unnest(array['reserve', 'spend']) as kind`);
	});
	await database.db.execute("vacuum analyze wallets.spend_entry");
});
afterAll(() => database.drop());

test("a profile's day is read from its index alone, whatever statistics the planner has", async () => {
	const sql = spentTodaySql({ profile: "$1", since: "$2" });
	const values = [PROFILE, new Date(0)];
	expect(await database.db.keepingPlans.query<{ spent: string }>(sql, values)).toEqual([
		{ spent: String(ROWS / 10) },
	]);
	const rows = await database.db.keepingPlans.query<{ "QUERY PLAN": string }>(
		`explain ${sql}`,
		values,
	);
	const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
	expect(plan).toContain("Index Only Scan using spend_counted");
	expect(plan).not.toContain("Seq Scan");
});
