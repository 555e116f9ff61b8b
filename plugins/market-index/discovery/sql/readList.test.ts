import { afterAll, beforeAll, expect, test } from "bun:test";
import { readList } from "#plugins/market-index/discovery/sql/readList.ts";
import { type ListKey, storeList } from "#plugins/market-index/discovery/sql/storeList.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());

test("a stored list that cannot be read is none, and no failure of whoever asks", async () => {
	const { db } = database;
	const key: ListKey = { chainId: 1, mode: "trending", by: "worker" };
	const nowMs = Date.UTC(2026, 10, 21, 12);
	await storeList(db, key, { rows: [], refreshedAtMs: nowMs });
	const asked = { nowMs, maxAgeMs: 1_000 };
	expect(await readList(db, key, asked)).toEqual({ rows: [], refreshedAtMs: nowMs });
	await db.execute(`update market_index.discovery_list set rows = '[{"chainId": 1e99}]'`);
	expect(await readList(db, key, asked)).toBeNull();
});
