import { afterAll, beforeAll, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time/units.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windowOf.ts";
import { listCollections } from "#plugins/market-index/sql/listCollections.ts";
import { base, ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import { fillIndex } from "#test/bench/fill/fillIndex.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await fillIndex(database.connectionString, {
		events: 9_000,
		recentEvents: 5_000,
		collections: 300,
		marketed: 0,
		days: 12,
		nowMs: NOW_MS,
		chainIds: [ethereum.id, base.id],
	});
});
afterAll(() => database.drop());

const chainIds = [ethereum.id, base.id];

type Figures = { id: number; sales: number; volume: string; mints: number };

/** What events themselves say, without any rollup. */
async function countedFrom(start: Date): Promise<Figures[]> {
	return database.db.query<Figures>(
		`select collection_id as id, count(*) filter (where kind = 1)::int8 as sales,
			coalesce(sum(total_native) filter (where kind = 1), 0) as volume,
			count(*) filter (where kind = 2)::int8 as mints
		from market_index.event where accepted and occurred_at >= $1 group by 1 order by 1`,
		[start],
	);
}

/** Each way in which a window's edges may lie: to either side of a half hour and of noon. */
const MIDNIGHT_MS = NOW_MS - (NOW_MS % DAY_MS);
const MOMENTS_MS = [
	NOW_MS,
	MIDNIGHT_MS,
	MIDNIGHT_MS + MINUTE_MS,
	MIDNIGHT_MS + 2 * HOUR_MS + 7 * MINUTE_MS,
	MIDNIGHT_MS + 11 * HOUR_MS + 59 * MINUTE_MS,
	MIDNIGHT_MS - 29 * MINUTE_MS,
	MIDNIGHT_MS - 31 * MINUTE_MS,
];

for (const name of ["5m", "1h", "6h", "24h", "7d"] as const) {
	test(`figures of ${name} are those of its events, wherever buckets cut it`, async () => {
		for (const nowMs of MOMENTS_MS) {
			const window = windowOf(nowMs, WINDOW_MS[name]);
			const counted = (await countedFrom(window.start)).filter(({ sales }) => sales > 0);
			const query = { chainIds, nowMs, window, order: "trending", limit: 300 } as const;
			const rows = (await listCollections(database.db, query))
				.filter(({ windowSales }) => windowSales > 0)
				.map((row) => ({ id: row.id, sales: row.windowSales, volume: row.windowVolume }))
				.sort((a, b) => a.id - b.id);
			expect(rows).toEqual(counted.map(({ id, sales, volume }) => ({ id, sales, volume })));
		}
	});

	test(`a short page of ${name} is the beginning of a long one`, async () => {
		for (const nowMs of MOMENTS_MS) {
			const window = windowOf(nowMs, WINDOW_MS[name]);
			for (const order of ["trending", "market", "minting"] as const) {
				const ids = async (limit: number) =>
					(await listCollections(database.db, { chainIds, nowMs, window, order, limit })).map(
						({ id }) => id,
					);
				const all = await ids(300);
				for (const limit of [1, 7, 50]) expect(await ids(limit)).toEqual(all.slice(0, limit));
			}
		}
	});
}

test("pages are in the order of what was sold, and of what was minted", async () => {
	const day = windowOf(NOW_MS, WINDOW_MS["24h"]);
	const page = (order: "trending" | "market" | "minting") =>
		listCollections(database.db, { chainIds, nowMs: NOW_MS, window: day, order, limit: 50 });
	const sold = await countedFrom(day.start);
	const minted = await countedFrom(windowOf(NOW_MS, WINDOW_MS["1h"]).start);
	const most = (values: number[]) => values.sort((a, b) => b - a).slice(0, 50);
	expect((await page("trending")).map((row) => row.windowSales)).toEqual(
		most(sold.map(({ sales }) => sales)),
	);
	expect((await page("market")).map((row) => Number(row.windowVolume))).toEqual(
		most(sold.map(({ volume }) => Number(volume))),
	);
	expect((await page("minting")).map((row) => row.mints1h)).toEqual(
		most(minted.map(({ mints }) => mints).filter((mints) => mints > 0)),
	);
});

test("figures that a batch moves leave the indexes of lists alone", async () => {
	await database.db.transaction(async (tx) => {
		const update = (what: string) =>
			tx.execute(`update market_index.collection set ${what} where id = 1`);
		const counts = async () => {
			const [row] = await tx.query<{ all: number; hot: number }>(
				`select pg_stat_get_xact_tuples_updated(oid) as all,
					pg_stat_get_xact_tuples_hot_updated(oid) as hot
				from pg_class where oid = 'market_index.collection'::regclass`,
			);
			return row;
		};
		await update("last_sale_at = date_trunc('hour', last_sale_at), volume_native = 3 * 10 ^ 18");
		const before = await counts();
		await update("last_sale_at = last_sale_at + interval '59 minutes', sales = sales + 1");
		await update("volume_native = volume_native + 9 * 10 ^ 17");
		const within = await counts();
		expect(within).toEqual({ all: (before?.all ?? 0) + 2, hot: (before?.hot ?? 0) + 2 });
		await update("volume_native = volume_native + 10 ^ 17");
		expect((await counts())?.hot).toBe(within?.hot);
	});
});
