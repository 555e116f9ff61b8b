import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Client } from "pg";
import { silentLog } from "#core/log.ts";
import { DAY_MS } from "#core/time.ts";
import { marketIndexPlugin } from "#plugins/market-index/plugin.ts";
import {
	createRetention,
	type RetentionLimits,
	retentionJob,
} from "#plugins/market-index/retention.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	NOW_MS,
	polygon,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createRetention", () => {
	const core = (): Parameters<typeof createRetention>[0] => ({
		db: {} as never,
		clock: { nowMs: () => NOW_MS },
		log: silentLog,
	});

	test("without a retention setting every event is kept and no job runs", () => {
		const retention = createRetention(core(), undefined);
		expect(retention.jobs).toEqual([]);
		expect(retention.keptFromMs()).toBe(Number.NEGATIVE_INFINITY);
	});

	test("with a retention setting one process of the cluster deletes old events once a day", () => {
		const retention = createRetention(core(), 35);
		expect(retention.keptFromMs()).toBe(NOW_MS - 35 * DAY_MS);
		const [job] = retention.jobs;
		expect(job?.lock).toBe("cluster");
		expect(job?.schedule).toEqual({ cron: "17 4 * * *" });
	});

	test("fewer days than a route's longest range are refused", () => {
		const read = (days: unknown) =>
			marketIndexPlugin.config.safeParse({ NFT_EVENT_RETENTION_DAYS: days }).success;
		expect(read(undefined)).toBe(true);
		expect(read(35)).toBe(true);
		expect(read(34)).toBe(false);
		expect(read(4_001)).toBe(false);
	});
});

describe("retentionJob", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());

	const CONTRACT = contractOf(1);

	/** In the middle of a month: that month is kept whole, the two before it are not. */
	const KEPT_FROM_MS = Date.UTC(2026, 2, 15, 12, 30, 30);

	const TIMES = [
		// No month of its own.
		Date.UTC(2014, 5, 1),
		Date.UTC(2026, 0, 31, 23, 59, 59),
		Date.UTC(2026, 1, 3),
		Date.UTC(2026, 1, 3, 0, 1),
		Date.UTC(2026, 2, 1),
		KEPT_FROM_MS - 60_000,
		KEPT_FROM_MS,
		// A broken clock.
		Date.UTC(2120, 0, 1),
	];

	beforeEach(async () => {
		for (const table of ["event", "rollup_minute", "rollup_hour", "rollup_day"]) {
			await database.db.execute(`delete from market_index.${table}`);
		}
		const sales = TIMES.map((occurredAtMs) => saleOf(CONTRACT, { occurredAtMs }));
		await createMarketFixture(database.db).seed(ethereum, sales);
		await createMarketFixture(database.db).seed(polygon, sales);
	});

	const run = (limits: Partial<RetentionLimits> = {}, signal = new AbortController().signal) =>
		retentionJob({
			db: database.db,
			log: silentLog,
			keptMs: Date.now() - KEPT_FROM_MS,
			limits: { lockTimeoutMs: 100, rowsPerBatch: 2, batchesMax: 10, ...limits },
		}).run({ signal });

	async function times(table: string, column: string): Promise<number[]> {
		const rows = await database.db.query<{ at: Date }>(
			`select distinct ${column} as at from market_index.${table} order by 1`,
		);
		return rows.map(({ at }) => at.getTime());
	}

	async function months(): Promise<string[]> {
		const rows = await database.db.query<{ name: string }>(
			`select relname as name from pg_class where relname like 'event_2%' and relkind = 'r'
		order by 1`,
		);
		return rows.map(({ name }) => name);
	}

	const allDays = () =>
		database.db.query(
			"select to_jsonb(d)::text as row from market_index.rollup_day as d order by collection_id, bucket",
		);

	const minuteOf = (atMs: number) => atMs - (atMs % 60_000);

	test("events are deleted by whole months and minute figures by days, and the rest is unchanged", async () => {
		const hours = await times("rollup_hour", "bucket");
		const days = await allDays();
		expect(days).toHaveLength(12);
		await run();
		expect(await months()).toEqual(["event_2026_03"]);
		expect(await times("event", "occurred_at")).toEqual(TIMES.slice(4));
		// From the start of the day: no candle of several minutes is there in part.
		expect(await times("rollup_minute", "bucket")).toEqual(TIMES.slice(5).map(minuteOf));
		expect(await times("rollup_hour", "bucket")).toEqual(hours);
		expect(await allDays()).toEqual(days);
	});

	test("a transaction that reads events delays the deletion of its month by a day, undisturbed", async () => {
		const reader = new Client({ connectionString: database.connectionString });
		await reader.connect();
		await reader.query("begin; select count(*) from market_index.event");
		await run({ lockTimeoutMs: 20 });
		expect(await months()).toContain("event_2026_01");
		const { rows } = await reader.query("select count(*)::int as count from market_index.event");
		expect(rows[0]?.count).toBeGreaterThan(TIMES.length);
		await reader.query("commit");
		await reader.end();
		await run();
		expect(await months()).toEqual(["event_2026_03"]);
	});

	test("a run deletes up to its limit, and nothing after its signal aborted", async () => {
		const all = await times("rollup_minute", "bucket");
		await run({}, AbortSignal.abort());
		expect(await times("rollup_minute", "bucket")).toEqual(all);
		await run({ rowsPerBatch: 1, batchesMax: 2 });
		expect(await times("rollup_minute", "bucket")).toEqual(all.slice(2));
	});

	test("all-time figures still include the deleted events", async () => {
		await run();
		const rows = await database.db.query<{ sales: number }>(
			"select sum(sales)::int as sales from market_index.rollup_day",
		);
		expect(rows[0]?.sales).toBe(2 * TIMES.length);
	});
});
