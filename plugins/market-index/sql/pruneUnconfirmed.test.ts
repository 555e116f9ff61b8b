import { afterAll, beforeAll, expect, test } from "bun:test";
import { silentLog } from "#core/log/silentLog.ts";
import { DAY_MS } from "#core/time/units.ts";
import { createMergeLab } from "#plugins/market-index/merge/testing/mergeLab.ts";
import { told } from "#plugins/market-index/merge/testing/told.ts";
import { retentionJob } from "#plugins/market-index/retention/retentionJob.ts";
import { contractOf, NOW_MS, saleOf } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

test("what is not kept is not waited for: retention forgets it, a few rows at a time", async () => {
	const { db } = database;
	const lab = createMergeLab(db);
	const cats = await lab.register(contractOf(0xb1));
	const days = [1, 30, 50, 51, 52];
	const sales = days.map((ago) => saleOf(cats.address, { occurredAtMs: NOW_MS - ago * DAY_MS }));
	await lab.merge(
		cats,
		sales.map((sale) => told(sale)),
	);
	expect(await lab.unconfirmed()).toBe(5);
	const keptFromMs = () => NOW_MS - 40 * DAY_MS;
	const limits = { lockTimeoutMs: 200, rowsPerBatch: 2, batchesMax: 10 };
	const job = retentionJob({ db, log: silentLog, keptFromMs, limits });
	await job.run({ signal: new AbortController().signal } as never);
	expect(await lab.unconfirmed()).toBe(2);
});
