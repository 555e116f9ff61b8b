import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Client } from "pg";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log.ts";
import { DAY_MS } from "#core/time.ts";
import { createMergeLab } from "#plugins/market-index/merge/testing/mergeLab.ts";
import { told } from "#plugins/market-index/merge/testing/told.ts";
import { retentionJob } from "#plugins/market-index/retention.ts";
import { partitionsOf } from "#plugins/market-index/sql/partitions.ts";
import { contractOf, NOW_MS, saleOf } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("partitionsOf", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	async function months(): Promise<string[]> {
		const rows = await database.db.query<{ name: string }>(
			`select relid::regclass::text as name from pg_partition_tree('market_index.event')
		where isleaf order by 1`,
		);
		return rows.map(({ name }) => name.replace("market_index.event_", ""));
	}

	test("each month of block times gets one partition; other times share one table", async () => {
		const times = [
			Date.UTC(2015, 0),
			Date.UTC(2026, 10, 30, 23, 59, 59, 999),
			Date.UTC(2026, 10, 1),
			Date.UTC(2099, 11, 31),
			// Not between 2015 and 2099.
			Date.UTC(2014, 11, 31),
			Date.UTC(2100, 0),
			0,
			-1,
			8.64e15,
			Number.NaN,
		];
		const partitions = partitionsOf(database.db);
		await partitions.ensure(times, { ahead: true });
		const made = ["2015_01", "2015_02", "2026_11", "2026_12", "2099_12", "elsewhere"];
		expect(await months()).toEqual(made);
		await partitions.ensure(times);
		await partitionsOf(database.db).ensure(times);
		expect(await months()).toEqual(made);
	});

	test("a new partition has the bounds of its month and the indexes of the others", async () => {
		await partitionsOf(database.db).ensure([Date.UTC(2024, 1, 29)]);
		const [bounds] = await database.db.query<{ text: string }>(
			`select pg_get_expr(relpartbound, oid) as text from pg_class where relname = 'event_2024_02'`,
		);
		expect(bounds?.text).toContain("'2024-02-01 00:00:00+00'");
		expect(bounds?.text).toContain("'2024-03-01 00:00:00+00'");
		const indexes = await database.db.query(
			"select 1 from pg_indexes where tablename = 'event_2024_02'",
		);
		expect(indexes).toHaveLength(5);
	});

	test("several processes can create the same months simultaneously", async () => {
		const times = Array.from({ length: 12 }, (_, month) => Date.UTC(2031, month));
		await Promise.all(Array.from({ length: 6 }, () => partitionsOf(database.db).ensure(times)));
		const made = (await months()).filter((month) => month.startsWith("2031"));
		expect(made).toHaveLength(12);
	});

	test("lanes whose open transactions use every connection of the pool still get their month", async () => {
		const { connectionString } = database;
		const options = { connectionString, connectionsMax: 1, applicationName: "tapeline test" };
		const crowded = openDatabase({ ...options, log: silentLog });
		await crowded.transaction(async (tx) => {
			await tx.query("select 1");
			await partitionsOf(crowded).ensure([Date.UTC(2032, 0)]);
		});
		await crowded.close();
		expect(await months()).toContain("2032_01");
	});

	test("during a backup a needed month fails after its wait, and a future one is skipped", async () => {
		const backup = new Client({ connectionString: database.connectionString });
		await backup.connect();
		await backup.query("begin; select count(*) from market_index.event");
		const partitions = partitionsOf(database.db, { lockTimeoutMs: 50 });
		const blocked = partitions.ensure([Date.UTC(2033, 0)]);
		await expect(blocked).rejects.toMatchObject({ code: "55P03" });
		await backup.query("rollback");
		await partitions.ensure([Date.UTC(2033, 0)]);
		await backup.query("begin; select count(*) from market_index.event");
		await partitions.ensure([Date.UTC(2033, 0)], { ahead: true });
		expect(await months()).not.toContain("2033_02");
		await backup.end();
		// What could not be made ahead is made when it is needed.
		await partitions.ensure([Date.UTC(2033, 1)]);
		expect(await months()).toContain("2033_02");
	});

	test("a month before the retention gets no partition, and the month in which it begins does", async () => {
		const keptFromMs = () => Date.UTC(2034, 2, 15);
		const partitions = partitionsOf(database.db, { keptFromMs });
		await partitions.ensure([Date.UTC(2034, 1, 28, 23), Date.UTC(2034, 2, 1)]);
		expect((await months()).filter((month) => month.startsWith("2034"))).toEqual(["2034_03"]);
	});

	test("a month whose events are in a shared table stays there, and its lane continues", async () => {
		await database.db.execute(
			`insert into market_index.event (occurred_at, block_number, chain_id, collection_id,
				log_index,
			sub_index, kind, accepted, onchain_verified, block_hash, transaction_hash, from_address,
			to_address, token_id, quantity)
		values ('2035-01-15Z', 1, 1, 1, 1, 0, 1, true, true, '', '', '', '', 1, 1)`,
		);
		await partitionsOf(database.db).ensure([Date.UTC(2035, 0)]);
		expect(await months()).not.toContain("2035_01");
	});
});

describe("pruneUnconfirmed", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	test("marks of deleted events are deleted, a few rows at a time", async () => {
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
		const keptMs = Date.now() - (NOW_MS - 40 * DAY_MS);
		const limits = { lockTimeoutMs: 200, rowsPerBatch: 2, batchesMax: 10 };
		const job = retentionJob({ db, log: silentLog, keptMs, limits });
		await job.run({ signal: new AbortController().signal } as never);
		expect(await lab.unconfirmed()).toBe(2);
	});
});
