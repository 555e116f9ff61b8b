import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DAY_MS } from "#core/time.ts";
import { recomputeRollups } from "#plugins/market-index/sql/recomputeRollups.ts";
import { fillIndex, monthsOf } from "#test/bench/fill/fillIndex.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("fillIndex", () => {
	const NOW_MS = Date.UTC(2026, 2, 10, 14, 37, 25);

	let database: TestDatabase;
	beforeAll(async () => {
		database = await createTestDatabase();
		await fillIndex(database.connectionString, {
			events: 3_000,
			recentEvents: 1_000,
			collections: 100,
			marketed: 20,
			days: 40,
			nowMs: NOW_MS,
			chainIds: [1, 8_453],
		});
	});
	afterAll(() => database.drop());

	test("the filled index has the requested number of events, mostly of few collections", async () => {
		const [row] = await database.db.query<{ all: number; recent: number; first: number }>(
			`select count(*) as all, count(*) filter (where occurred_at >= $1) as recent,
			count(*) filter (where collection_id <= 10) as first
		from market_index.event`,
			[new Date(NOW_MS - DAY_MS)],
		);
		expect(row?.all).toBe(3_000);
		expect(Math.abs((row?.recent ?? 0) - 1_000)).toBeLessThan(5);
		expect(row?.first).toBeGreaterThan(1_200);
	});

	test("rollups equal those that the index itself computes from the events", async () => {
		const tiers = ["rollup_minute", "rollup_hour", "rollup_day"];
		const contents = () =>
			Promise.all(
				tiers.map((table) =>
					database.db.query(
						`select to_jsonb(r)::text as row from market_index.${table} as r
					order by collection_id, bucket`,
					),
				),
			);
		const filled = await contents();
		const keys = await database.db.query<{ chainId: number; collectionId: number; bucket: Date }>(
			`select chain_id as "chainId", collection_id as "collectionId", bucket
		from market_index.rollup_minute`,
		);
		expect(keys.length).toBeGreaterThan(1_000);
		await database.db.transaction(async (tx) => {
			for (const chainId of [1, 8_453]) {
				const minutes = keys
					.filter((key) => key.chainId === chainId)
					.map(({ collectionId, bucket }) => ({ collectionId, bucketMs: bucket.getTime() }));
				await recomputeRollups(tx, chainId, minutes);
			}
		});
		expect(await contents()).toEqual(filled);
	});

	test("collections have the sums of their days, and their newest sale", async () => {
		const wrong = await database.db.query(
			`select c.id from market_index.collection as c
		left join (
			select collection_id, sum(sales) as sales, sum(volume) as volume, sum(mints) as mints,
				max(close_position) as position
			from market_index.rollup_day group by 1
		) as d on d.collection_id = c.id
		where (c.sales, c.volume_native, c.mints) is distinct from
				(coalesce(d.sales, 0), coalesce(d.volume, 0), coalesce(d.mints, 0))
			or c.last_sale_position < d.position`,
		);
		expect(wrong).toEqual([]);
	});

	test("the first collections have books, tokens and figures, and are in the provider's lists", async () => {
		const [row] = await database.db.query(
			`select count(*)::int4 as collections, sum(listed_count)::int4 as listings,
			(select count(*)::int4 from market_index.market_order where is_active and kind = 0) as orders,
			(select count(*)::int4 from market_index.token where rank is not null) as ranked,
			(select count(*)::int4 from market_index.trait_count) > 20 * 10 as counted,
			(select sum(jsonb_array_length(rows))::int4 from market_index.discovery_list) as listed
		from market_index.collection where provider_stats is not null and floor_native > 0`,
		);
		expect(row).toEqual({
			collections: 20,
			listings: 20 * 40,
			orders: 20 * 40,
			ranked: 20 * 40,
			counted: true,
			listed: 20 * 3,
		});
	});
});

describe("monthsOf", () => {
	test("the months are adjacent and cover the whole range, also over a year's end", () => {
		const months = monthsOf(Date.UTC(2025, 11, 31, 23), Date.UTC(2026, 1, 1));
		expect(months.map(({ name }) => name)).toEqual(["2025_12", "2026_01", "2026_02"]);
		expect(months[0]?.fromMs).toBe(Date.UTC(2025, 11));
		for (const [index, month] of months.entries()) {
			expect(months[index + 1]?.fromMs ?? month.toMs).toBe(month.toMs);
		}
	});
});
