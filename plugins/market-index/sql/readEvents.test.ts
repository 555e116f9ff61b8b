import { afterAll, beforeAll, expect, test } from "bun:test";
import { activityStatement } from "#plugins/market-index/sql/readEvents.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	type Fixture,
} from "#plugins/market-index/testing/marketFixture.ts";
import { randomTrades } from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const CONTRACTS = Array.from({ length: 40 }, (_, index) => contractOf(0x100 + index));

let database: TestDatabase;
let fixture: Fixture;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db);
	await fixture.seed(
		ethereum,
		randomTrades({ seed: 41, contracts: CONTRACTS, count: 20_000, days: 50 }),
	);
	await database.db.execute("analyze market_index.event");
});
afterAll(() => database.drop());

async function planOf(after: boolean): Promise<string> {
	const { text, values } = activityStatement({
		collectionId: await fixture.idOf(ethereum, contractOf(0x105)),
		kinds: ["sale", "mint", "transfer"],
		acceptedOnly: false,
		since: null,
		after: after
			? {
					occurredAtMs: Date.parse("2026-02-20T00:00:00Z"),
					blockNumber: 1,
					logIndex: 1,
					subIndex: 1,
				}
			: null,
		limit: 50,
	});
	const rows = await database.db.query<{ "QUERY PLAN": string }>(
		`explain (analyze, costs off, timing off) ${text}`,
		values,
	);
	return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

test("[API-09] activity reads a collection's events by an index, and never a whole partition", async () => {
	for (const after of [false, true]) {
		const plan = await planOf(after);
		expect(plan).toMatch(/Index Scan Backward using event_\w*collection_id_kind_occurred_at_idx/);
		expect(plan).not.toMatch(/Seq Scan on event_\d/);
	}
});

test("[API-09] a later page does not touch the months after its cursor", async () => {
	const plan = await planOf(true);
	expect(plan).not.toContain("event_2026_03");
	expect(plan).toContain("event_2026_02");
});
