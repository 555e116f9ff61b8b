import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { DAY_MS } from "#core/time/units.ts";
import { bucketOf, TIERS } from "#plugins/market-index/rollup/bucketOf.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windowOf.ts";
import { createBinder } from "#plugins/market-index/sql/Binder.ts";
import { sumsSince } from "#plugins/market-index/sql/sumsSince.ts";
import { ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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

test("whenever it is asked, and for whatever window, the sums are of the sales since", async () => {
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
