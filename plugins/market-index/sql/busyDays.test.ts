import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { WINDOW_MS, windowOf } from "#plugins/market-index/read/windowOf.ts";
import { listCollections } from "#plugins/market-index/sql/listCollections.ts";
import { DAY_MS, ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.execute(
		`insert into market_index.collection (chain_id, address, standard, slug)
		select $1, int8send(n), 'erc721', 'collection-' || n from generate_series(1, 100) as n`,
		[ethereum.id],
	);
});
afterAll(() => database.drop());

beforeEach(() => database.db.execute("truncate market_index.rollup_day"));

const TODAY_MS = NOW_MS - (NOW_MS % DAY_MS);
/** Days that lie wholly in the window: none is cut by its edge. */
const WHOLE_DAYS = [0, 1, 2, 3, 4, 5];

/** So many sales on each of these days, counted back from today. */
async function sell(collectionId: number, sales: number, days: readonly number[]): Promise<void> {
	await database.db.execute(
		`insert into market_index.rollup_day
			(collection_id, bucket, chain_id, sales, priced, units, mints, volume)
		select $1, bucket, $2, $3, 0, 0, 0, 0 from unnest($4::timestamptz[]) as bucket`,
		[collectionId, ethereum.id, sales, days.map((ago) => new Date(TODAY_MS - ago * DAY_MS))],
	);
}

/** Ids and sales of a page of seven days. A page of one collection reads 24 days. */
async function page(limit: number): Promise<[id: number, sales: number][]> {
	const rows = await listCollections(database.db, {
		chainIds: [ethereum.id],
		nowMs: NOW_MS,
		window: windowOf(NOW_MS, WINDOW_MS["7d"]),
		order: "trending",
		limit,
	});
	return rows.map(({ id, windowSales }) => [id, windowSales]);
}

test("a collection without a busy day is first where its days together are the most", async () => {
	for (let id = 1; id <= 30; id += 1) await sell(id, 10, [id % 6]);
	await sell(50, 7, WHOLE_DAYS);
	expect(await page(1)).toEqual([[50, 42]]);
});

test("a collection with one busy day is ranked by its other days, too", async () => {
	await sell(1, 130, [1, 2, 3, 4, 5]);
	await sell(50, 200, [0]);
	await sell(50, 100, [1, 2, 3, 4, 5]);
	// Of the same class as those hundreds, and before them in the index.
	for (let id = 2; id <= 31; id += 1) await sell(id, 100, [6]);
	expect(await page(1)).toEqual([[50, 700]]);
});

test("days after today count, however many there are", async () => {
	await sell(1, 255, WHOLE_DAYS);
	for (let id = 2; id <= 40; id += 1) await sell(id, 31, [id % 6]);
	const future = Array.from({ length: 100 }, (_, index) => -index);
	await sell(50, 30, future);
	expect(await page(1)).toEqual([[50, 3_000]]);
});

test("a page that everybody fits on has everybody, and nobody without a sale", async () => {
	for (let id = 1; id <= 20; id += 1) await sell(id, id - 1, [1, 2]);
	const sold = (await page(100)).filter(([, sales]) => sales > 0);
	expect(sold).toEqual(Array.from({ length: 19 }, (_, index) => [20 - index, 2 * (19 - index)]));
});

test("a sale more seldom moves the index of busy days", async () => {
	await sell(1, 4, [0]);
	await database.db.transaction(async (tx) => {
		const hot = async () => {
			await tx.execute("update market_index.rollup_day set sales = sales + 1");
			const [row] = await tx.query<{ hot: number }>(
				`select pg_stat_get_xact_tuples_hot_updated(oid) as hot from pg_class
				where oid = 'market_index.rollup_day'::regclass`,
			);
			return row?.hot;
		};
		// 5, 6 and 7 have as many digits as 4; 8 has one more.
		expect([await hot(), await hot(), await hot(), await hot()]).toEqual([1, 2, 3, 3]);
	});
});

test("the binary digits of sales, from none to the most a day can hold", async () => {
	const sales = [0, 1, 2, 3, 4, 1_023, 1_024, 2_147_483_647];
	for (const [index, count] of sales.entries()) await sell(index + 1, count, [0]);
	const rows = await database.db.query<{ digits: number }>(
		"select sales_class as digits from market_index.rollup_day order by collection_id",
	);
	expect(rows.map(({ digits }) => digits)).toEqual(
		sales.map((count) => (count === 0 ? 0 : count.toString(2).length)),
	);
});
