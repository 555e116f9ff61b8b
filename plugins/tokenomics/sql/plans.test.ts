import { afterAll, beforeAll, expect, test } from "bun:test";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Database, Queryable, SqlValue, Tx } from "#core/db/Database.ts";
import { shownRevenue } from "#plugins/tokenomics/ledger/compareLedger.ts";
import { buybackRuns } from "#plugins/tokenomics/sql/buybackRuns.ts";
import { entries, transfers } from "#plugins/tokenomics/sql/entries.ts";
import { holders, standings } from "#plugins/tokenomics/sql/holders.ts";
import { totalKey, totals } from "#plugins/tokenomics/sql/totals.ts";
import { FILLED_CHAIN_ID as chainId, FILLED, fillLedger } from "#test/bench/fill/fillLedger.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

// Guarantee: however many events, holders and runs there are, what is read of them is read along an
// index, planned for its values as well as for any.

const EVENTS = 40_000;
const NOW_MS = Date.UTC(2026, 10, 24);
const { token, router, burner } = FILLED;
const of = { chainId, contract: router };
const ofToken = { chainId, token };

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await fillLedger(database.db, { events: EVENTS, nowMs: NOW_MS });
});
afterAll(() => database?.drop());

const page = (more: Partial<Parameters<typeof entries.page>[1]>) => (db: Queryable) =>
	entries.page(db, { chainId, entryType: null, currency: null, before: null, limit: 51, ...more });
const before = { block: EVENTS / 2, logIndex: 0 };

/** Each read, with the index that has to be used for it. */
const READS: Record<string, [index: string, read: (db: Tx) => Promise<unknown>]> = {
	"a page of the ledger": ["entry_by_place", page({})],
	"a later page": ["entry_by_place", page({ before })],
	"a page of burns": ["entry_by_type", page({ entryType: "buyback_burned", before })],
	"a page of a currency": ["entry_by_currency", page({ currency: ZERO_ADDRESS, before })],
	"the newest burn": [
		"entry_by_type",
		(db) => entries.newestBurn(db, { chainId, contract: burner }),
	],
	"the split in force": ["entry_by_type", (db) => entries.defaultSplit(db, chainId, router)],
	"the splits of sources": ["entry_by_type", (db) => entries.splits(db, chainId, router)],
	"the payees": ["entry_by_type", (db) => entries.payees(db, chainId, router)],
	"what a fork takes back": [
		"entry_by_place",
		(db) => entries.deleteAbove(db, chainId, { contract: router, block: EVENTS - 5 }),
	],
	"sums by their keys": [
		"total_pkey",
		(db) => totals.ofKeys(db, of, [totalKey("revenue"), totalKey("earned", { bucket: 2 })]),
	],
	"currencies by age": ["total_by_age", (db) => shownRevenue(db, of, { named: [], limit: 20 })],
	"who holds most": ["holder_by_balance", (db) => holders.largest(db, ofToken, 10)],
	"a sample of holders": [
		"holder_pkey",
		(db) => holders.from(db, ofToken, { address: token, limit: 10 }),
	],
	"what some accounts hold": ["holder_pkey", (db) => holders.of(db, ofToken, [token, router])],
	"a place in the league": [
		"standing_pkey",
		(db) => standings.ofProfile(db, "2026-11", "aaaaaaaa-0000-7000-8000-000000000001"),
	],
	"transfers to undo": [
		"transfer_pkey",
		(db) => transfers.above(db, ofToken, { block: EVENTS - 5, logIndex: 0, limit: 2_000 }),
	],
	"the league": ["standing_pkey", (db) => standings.first(db, "2026-11", 10)],
	"runs that are not in the sums": [
		"buyback_run_unfolded",
		(db) => buybackRuns.unfolded(db, chainId),
	],
	"the newest run": ["buyback_run_pkey", (db) => buybackRuns.newest(db, { chainId, limit: 1 })],
	"runs that are old": ["buyback_run_folded", (db) => buybackRuns.prune(db, 90 * 86_400_000)],
};

for (const [name, [index, read]] of Object.entries(READS)) {
	test(`${name}: uses the index ${index}, however many other rows there are`, async () => {
		const statements = await statementsOf(read);
		expect(statements.length).toBeGreaterThan(0);
		const plans: string[] = [];
		for (const { text, values } of statements) {
			plans.push(await explain(`explain ${text}`, values));
			plans.push(await explain(`explain (generic_plan) ${text}`, []));
		}
		expect(plans.filter((plan) => GROWING.test(plan))).toEqual([]);
		expect(plans.filter((plan) => plan.includes(` ${index} `)).length).toBeGreaterThanOrEqual(2);
	});
}

const GROWING = /Seq Scan on (?:entry|total|holder|transfer|standing|buyback_run)/;
const UNDONE = "nothing of this stays";

type Statement = { text: string; values: readonly SqlValue[] };

/** What really runs, remembered; nothing of it stays. */
async function statementsOf(read: (db: Tx) => Promise<unknown>): Promise<Statement[]> {
	const statements: Statement[] = [];
	const run = database.db.transaction(async (tx) => {
		const note = (text: string, values: readonly SqlValue[] = []) => {
			statements.push({ text, values });
		};
		await read({
			...tx,
			query: <Row>(text: string, values: readonly SqlValue[] = []) => {
				note(text, values);
				return tx.query<Row>(text, values);
			},
			execute: (text: string, values: readonly SqlValue[] = []) => {
				note(text, values);
				return tx.execute(text, values);
			},
		});
		throw new Error(UNDONE);
	});
	await expect(run).rejects.toThrow(UNDONE);
	return statements;
}

async function explain(text: string, values: readonly SqlValue[]): Promise<string> {
	const db: Database = database.db;
	const rows = await db.query<{ "QUERY PLAN": string }>(text, values);
	return rows.map((line) => line["QUERY PLAN"]).join("\n");
}
