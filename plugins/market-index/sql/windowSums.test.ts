import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createBinder, type Tx } from "#core/db/Database.ts";
import { DAY_MS } from "#core/time.ts";
import {
	AMOUNT_MAX,
	bucketOf,
	TIERS,
	WINDOW_MS,
	windowOf,
} from "#plugins/market-index/rollup/windows.ts";
import { listCollections } from "#plugins/market-index/sql/collectionLists.ts";
import { sumsSince } from "#plugins/market-index/sql/windowSums.ts";
import { ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("busyDays", () => {
	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
		await database.db.execute(
			`insert into market_index.collection (chain_id, address, standard, slug, sales)
		select $1, int8send(n), 'erc721', 'collection-' || n, 1 from generate_series(1, 100) as n`,
			[ethereum.id],
		);
	});
	afterAll(() => database.drop());

	beforeEach(() => database.db.execute("truncate market_index.rollup_day"));

	const TODAY_MS = NOW_MS - (NOW_MS % DAY_MS);
	/** Days that lie wholly in the window: none is cut by its edge. */
	const WHOLE_DAYS = [0, 1, 2, 3, 4, 5];

	/** A price by which a day's volume is in a class of its own wherever its sales are. */
	const PRICE_WEI = 2n ** 50n;

	type DayRow = { id: number; ago: number; sales: number; volume: bigint };

	/** Days, each counted back from today, in one statement. */
	async function insert(rows: readonly DayRow[]): Promise<void> {
		await database.db.execute(
			`insert into market_index.rollup_day
			(collection_id, bucket, chain_id, sales, priced, units, mints, volume)
		select id, bucket, $1, sales, 0, 0, 0, volume
		from unnest($2::int4[], $3::timestamptz[], $4::int4[], $5::numeric[])
			as given (id, bucket, sales, volume)`,
			[
				ethereum.id,
				rows.map(({ id }) => id),
				rows.map(({ ago }) => new Date(TODAY_MS - ago * DAY_MS)),
				rows.map(({ sales }) => sales),
				rows.map(({ volume }) => volume),
			],
		);
	}

	/** So many sales on each of these days, all at one price. */
	function sell(id: number, sales: number, days: readonly number[]): Promise<void> {
		return insert(days.map((ago) => ({ id, ago, sales, volume: BigInt(sales) * PRICE_WEI })));
	}

	const ORDERS = ["trending", "market"] as const;
	type Order = (typeof ORDERS)[number];

	/** Ids and sales, or volume, of a page of seven days. A page of one collection reads 24 days. */
	async function page(order: Order, limit: number): Promise<[id: number, amount: bigint][]> {
		const rows = await listCollections(database.db, {
			chainIds: [ethereum.id],
			nowMs: NOW_MS,
			window: windowOf(NOW_MS, WINDOW_MS["7d"]),
			order,
			limit,
		});
		return rows.map(({ id, windowSales, windowVolume }) => [
			id,
			order === "trending" ? BigInt(windowSales) : BigInt(windowVolume),
		]);
	}

	for (const order of ORDERS) {
		const worth = (sales: number) => BigInt(sales) * (order === "trending" ? 1n : PRICE_WEI);

		test(`${order}: a collection without a busy day is first if the sum of its days is the largest`, async () => {
			for (let id = 1; id <= 30; id += 1) await sell(id, 10, [id % 6]);
			await sell(50, 7, WHOLE_DAYS);
			expect(await page(order, 1)).toEqual([[50, worth(42)]]);
		});

		test(`${order}: a collection with one busy day is ranked by its other days, too`, async () => {
			await sell(1, 130, [1, 2, 3, 4, 5]);
			await sell(50, 200, [0]);
			await sell(50, 100, [1, 2, 3, 4, 5]);
			// Of the same class as those hundreds, and before them in the index.
			for (let id = 2; id <= 31; id += 1) await sell(id, 100, [6]);
			expect(await page(order, 1)).toEqual([[50, worth(700)]]);
		});

		test(`${order}: days after today count, however many there are`, async () => {
			await sell(1, 255, WHOLE_DAYS);
			for (let id = 2; id <= 40; id += 1) await sell(id, 31, [id % 6]);
			const future = Array.from({ length: 100 }, (_, index) => -index);
			await sell(50, 30, future);
			expect(await page(order, 1)).toEqual([[50, worth(3_000)]]);
		});

		test(`${order}: a page with room for all has all collections with a sale, and no others`, async () => {
			for (let id = 1; id <= 20; id += 1) await sell(id, id - 1, [1, 2]);
			const sold = (await page(order, 100)).filter(([, amount]) => amount > 0n);
			expect(sold).toEqual(
				Array.from({ length: 19 }, (_, index) => [20 - index, worth(2 * (19 - index))]),
			);
		});

		test(`${order}: any page is the beginning of all collections, each with its full sum`, async () => {
			await fc.assert(fc.asyncProperty(days, fc.integer({ min: 1, max: 4 }), check), {
				numRuns: 40,
			});
			async function check(rows: readonly DayRow[], limit: number) {
				await database.db.execute("truncate market_index.rollup_day");
				const sums = new Map<number, DayRow>();
				const byDay = new Map(rows.map((row) => [`${row.id} ${row.ago}`, row]));
				await insert([...byDay.values()]);
				for (const row of byDay.values()) {
					const before = sums.get(row.id) ?? { ...row, sales: 0, volume: 0n };
					const volume = before.volume + row.volume;
					sums.set(row.id, { ...before, sales: before.sales + row.sales, volume });
				}
				const amount = ({ sales, volume }: DayRow) =>
					order === "trending" ? BigInt(sales) : volume;
				const summed = [...sums.values()]
					.filter((row) => amount(row) > 0n)
					.sort(
						(one, other) =>
							compare(amount(other), amount(one)) ||
							compare(other.volume, one.volume) ||
							one.id - other.id,
					);
				expect((await page(order, limit)).filter(([, all]) => all > 0n)).toEqual(
					summed.slice(0, limit).map((row) => [row.id, amount(row)]),
				);
			}
		});
	}

	const place = {
		id: fc.integer({ min: 1, max: 40 }),
		ago: fc.integer({ min: -2, max: 5 }),
	};

	/** Far apart, so that a few days say enough, up to what a day cannot have. */
	const unlike: fc.Arbitrary<DayRow> = fc.record({
		...place,
		sales: fc.integer({ min: 0, max: 5_000 }),
		volume: fc.oneof(
			fc.bigInt(0n, 9n),
			fc.integer({ min: 0, max: 255 }).map((digits) => 2n ** BigInt(digits) - 1n),
			fc.constant(AMOUNT_MAX),
		),
	});

	/** Of two classes, so that it is the number of its days that brings a collection to the top. */
	const alike: fc.Arbitrary<DayRow> = fc.record({
		...place,
		sales: fc.integer({ min: 6, max: 9 }),
		volume: fc.bigInt(6n * PRICE_WEI, 9n * PRICE_WEI),
	});

	const days = fc.oneof(
		fc.array(unlike, { maxLength: 150 }),
		fc.array(alike, { minLength: 60, maxLength: 150 }),
	);

	function compare(one: bigint, other: bigint): number {
		return one < other ? -1 : one > other ? 1 : 0;
	}

	/** How many rows of days an update has left their indexes alone for. */
	async function hotUpdates(tx: Tx, change: string): Promise<number> {
		const counted = async () => {
			const [row] = await tx.query<{ hot: number }>(
				`select pg_stat_get_xact_tuples_hot_updated(oid)::int4 as hot from pg_class
			where oid = 'market_index.rollup_day'::regclass`,
			);
			return row?.hot ?? 0;
		};
		const before = await counted();
		await tx.execute(`update market_index.rollup_day set ${change}`);
		return (await counted()) - before;
	}

	test("one more sale seldom changes the index of busy days", async () => {
		await sell(1, 4, [0]);
		await database.db.transaction(async (tx) => {
			const hot: number[] = [];
			for (let sale = 0; sale < 4; sale++) hot.push(await hotUpdates(tx, "sales = sales + 1"));
			// 5, 6 and 7 have as many digits as 4; 8 has one more.
			expect(hot).toEqual([1, 1, 1, 0]);
		});
	});

	test("more volume seldom changes the index of days by volume, and a mint never does", async () => {
		await sell(1, 4, [0]);
		await sell(2, 0, [0]);
		await database.db.transaction(async (tx) => {
			expect(await hotUpdates(tx, "mints = mints + 1")).toBe(2);
			const more = `volume = volume + case when volume > 0 then ${PRICE_WEI} else 0 end`;
			const hot: number[] = [];
			for (let sale = 0; sale < 4; sale++) hot.push(await hotUpdates(tx, more));
			// Of 5, 6 and 7 prices it is in the class of 4, with 8 in the next; the other day has none.
			expect(hot).toEqual([2, 2, 2, 1]);
		});
	});

	test("the sales of a day, from none to the maximum, are split into binary digits", async () => {
		const sales = [0, 1, 2, 3, 4, 1_023, 1_024, 2_147_483_647];
		for (const [index, count] of sales.entries()) await sell(index + 1, count, [0]);
		const rows = await database.db.query<{ digits: number }>(
			"select sales_class as digits from market_index.rollup_day order by collection_id",
		);
		expect(rows.map(({ digits }) => digits)).toEqual(
			sales.map((count) => (count === 0 ? 0 : count.toString(2).length)),
		);
	});

	test("the volume of a day, from zero to the maximum, has its class", async () => {
		const two = (digits: number) => 2n ** BigInt(digits);
		const volumes = [0n, 1n, two(40) - 1n, two(40), two(41) - 1n, two(41), two(103) - 1n, two(103)];
		await insert(
			[...volumes, AMOUNT_MAX].map((volume, index) => ({
				id: index + 1,
				ago: 0,
				sales: 0,
				volume,
			})),
		);
		const rows = await database.db.query<{ class: number }>(
			"select volume_class as class from market_index.rollup_day order by collection_id",
		);
		expect(rows.map((row) => row.class)).toEqual([0, 1, 1, 2, 2, 3, 64, 65, 65]);
	});
});

describe("sumsSince", () => {
	let database: TestDatabase;
	const salesMs: number[] = [];

	/** A sale about every 50 minutes for 40 days, as well as at whole hours and midnights. */
	beforeAll(async () => {
		database = await createTestDatabase();
		for (let atMs = NOW_MS + DAY_MS; atMs > NOW_MS - 40 * DAY_MS; atMs -= 50 * 60_000 + 7_000) {
			salesMs.push(atMs, bucketOf(atMs, 3_600_000), bucketOf(atMs, DAY_MS));
		}
		for (const { table, ms } of TIERS) {
			const counts = new Map<number, number>();
			for (const atMs of salesMs) {
				counts.set(bucketOf(atMs, ms), (counts.get(bucketOf(atMs, ms)) ?? 0) + 1);
			}
			await database.db.execute(
				`insert into market_index.${table}
				(collection_id, bucket, chain_id, sales, priced, units, mints, volume)
			select 7, bucket, $1, sales, 0, 0, 0, 3 * sales
			from unnest($2::timestamptz[], $3::int4[]) as t (bucket, sales)`,
				[ethereum.id, [...counts.keys()].map((ms) => new Date(ms)), [...counts.values()]],
			);
		}
	});
	afterAll(() => database.drop());

	test("for any window at any time, the sums are those of the sales since its start", async () => {
		const moment = fc.integer({ min: NOW_MS - 8 * DAY_MS, max: NOW_MS });
		const whole = fc.constantFrom(...TIERS.map(({ ms }) => ms));
		const nowMs = fc.oneof(
			moment,
			fc.tuple(moment, whole, fc.integer({ min: -1, max: 1 })).map(([at, ms, off]) => {
				return bucketOf(at, ms) + off;
			}),
		);
		const lengthMs = fc.constantFrom(...Object.values(WINDOW_MS));
		await fc.assert(
			fc.asyncProperty(nowMs, lengthMs, async (now, length) => {
				const window = windowOf(now, length);
				const binder = createBinder();
				const text = sumsSince(binder, window, binder.bind(7, "int4"));
				const rows = await database.db.query<{ sales: number; volume: string }>(
					`select coalesce(sum(sales), 0)::int4 as sales, coalesce(sum(volume), 0) as volume
				from (${text}) as part`,
					binder.values,
				);
				const sales = salesMs.filter((atMs) => atMs >= window.start.getTime()).length;
				expect(rows).toEqual([{ sales, volume: String(3 * sales) }]);
			}),
		);
	});
});
