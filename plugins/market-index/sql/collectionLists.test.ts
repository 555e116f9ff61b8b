import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windows.ts";
import {
	type CollectionOrder,
	type KnownFigures,
	listCollections,
	pickCollections,
	readPicked,
} from "#plugins/market-index/sql/collectionLists.ts";
import { readCollections } from "#plugins/market-index/sql/collectionRows.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ethereum,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { randomTrades, STRANGE_COIN } from "#plugins/market-index/testing/randomTrades.ts";
import { fillIndex } from "#test/bench/fill/fillIndex.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("listCollections", () => {
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
		test(`figures of ${name} equal the sums of its events, whichever buckets split it`, async () => {
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

	test("pages are in the order of sales, and of mints", async () => {
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

	test("figures that a batch changes do not touch the indexes of lists", async () => {
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
});

describe("readPicked", () => {
	// Guarantee: what choosing collections has summed up is what reading each of them would find.

	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
		const fixture = createMarketFixture(database.db);
		const traded = Array.from({ length: 30 }, (_, index) => contractOf(0x100 + index));
		await fixture.seed(ethereum, randomTrades({ seed: 5, contracts: traded, count: 700, days: 3 }));
		await fixture.seed(base, [
			// Sales that have no price: in the window, and without a volume there.
			saleOf(contractOf(0x900), { currency: STRANGE_COIN }),
			saleOf(contractOf(0x901), { occurredAtMs: NOW_MS - 90 * HOUR_MS }),
			mintOf(contractOf(0x902), { occurredAtMs: NOW_MS - HOUR_MS / 2 }),
			mintOf(contractOf(0x903), { occurredAtMs: NOW_MS - 2 * HOUR_MS }),
		]);
	});
	afterAll(() => database.drop());

	const window = windowOf(NOW_MS, WINDOW_MS["24h"]);
	const asked = { chainIds: [ethereum.id, base.id], nowMs: NOW_MS, window };
	const LIMITS = [1, 5, 20, 200];
	/** Each read by itself, with nothing that anybody knew. */
	const alone = (ids: readonly number[]) =>
		readCollections(database.db, { collectionIds: ids, nowMs: NOW_MS, window });

	for (const order of ["trending", "market", "minting", "top", "new"] satisfies CollectionOrder[]) {
		test(`a page by ${order} has the same figures as its collections have alone`, async () => {
			for (const limit of LIMITS) {
				const page = await listCollections(database.db, { ...asked, order, limit });
				expect(page.length).toBeGreaterThan(0);
				expect(page).toEqual(await alone(page.map(({ id }) => id)));
			}
		});
	}

	for (const order of ["trending", "market", "minting"] as const) {
		test(`the rows picked by ${order} are the page, in its order, with correct sums`, async () => {
			for (const limit of LIMITS) {
				const picked = await pickCollections(database.db, { ...asked, order, limit });
				const ids = picked.map(({ id }) => id);
				const page = await listCollections(database.db, { ...asked, order, limit });
				expect(ids).toEqual(page.map(({ id }) => id));
				const known = picked.map(({ id, sales, priced, volume, mints }): KnownFigures => {
					if (order === "minting") return { id, window: null, mints1h: mints };
					const window = sales === null ? null : { sales, priced, volume };
					return { id, window, mints1h: null };
				});
				const columns = ["id", "windowSales", "windowPriced", "windowVolume", "mints1h"] as const;
				const read = await readPicked(database.db, { ...asked, picked: known, columns });
				const figures = new Map(read.map((row) => [row.id, row]));
				for (const row of page) expect(row).toMatchObject(figures.get(row.id) ?? { id: -1 });
				expect(figures.size).toBe(page.length);
			}
		});
	}

	test("columns that are not requested are not read", async () => {
		const columns = ["slug", "windowSales"] as const;
		const order = "trending";
		const rows = await listCollections(database.db, { ...asked, order, limit: 3, columns });
		const all = await listCollections(database.db, { ...asked, order, limit: 3 });
		expect(rows).toEqual(all.map(({ slug, windowSales }) => ({ slug, windowSales })));
	});
});
