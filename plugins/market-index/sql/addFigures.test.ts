import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import {
	mergePrices,
	type Rollup,
	type RollupPrices,
} from "#plugins/market-index/rollup/rollups.ts";
import { AMOUNT_MAX, capAmount } from "#plugins/market-index/rollup/windows.ts";
import { addFigures } from "#plugins/market-index/sql/addFigures.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() =>
	database.db.execute("truncate market_index.rollup_minute, market_index.rollup_hour"),
);

const prices: fc.Arbitrary<RollupPrices | null> = fc.option(
	fc
		.tuple(fc.bigInt(0n, 5n), fc.bigInt(0n, 5n), fc.bigInt(0n, 3n), fc.bigInt(0n, 3n))
		.map(([a, b, openPosition, width]) => ({
			open: a,
			close: b,
			// Nothing says that a low is below a high: each is merged for itself.
			low: b,
			high: a,
			openPosition,
			closePosition: openPosition + width,
		})),
	{ nil: null },
);
const part: fc.Arbitrary<Rollup> = fc.record({
	collectionId: fc.constant(1),
	bucketMs: fc.constant(0),
	sales: fc.nat(5),
	priced: fc.nat(5),
	units: fc.oneof(fc.bigInt(0n, 9n), fc.constant(AMOUNT_MAX * 2n)),
	volume: fc.oneof(fc.bigInt(0n, 9n), fc.constant(AMOUNT_MAX)),
	mints: fc.nat(5),
	prices,
});

test("stored rows merge as their parts do in memory, in any order", async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), async (parts) => {
			await database.db.execute("truncate market_index.rollup_minute");
			for (const one of parts) {
				await database.db.transaction((tx) =>
					addFigures(tx, 1, { minutes: [one], collections: [] }),
				);
			}
			const [row] = await database.db.query<Record<string, unknown>>(
				`select sales, priced, units, volume, mints, open, high, low, close,
					open_position as "openPosition", close_position as "closePosition"
				from market_index.rollup_minute`,
			);
			const sum = (of: (one: Rollup) => bigint) =>
				capAmount(parts.reduce((all, one) => all + of(one), 0n)).toString();
			const merged = parts
				.map((one) => one.prices)
				.reduceRight<RollupPrices | null>((all, one) => mergePrices(one, all), null);
			const text = (value?: bigint) => value?.toString() ?? null;
			const number = (value?: bigint) => (value === undefined ? null : Number(value));
			expect(row).toEqual({
				sales: parts.reduce((all, one) => all + one.sales, 0),
				priced: parts.reduce((all, one) => all + one.priced, 0),
				mints: parts.reduce((all, one) => all + one.mints, 0),
				units: sum((one) => one.units),
				volume: sum((one) => one.volume),
				open: text(merged?.open),
				high: text(merged?.high),
				low: text(merged?.low),
				close: text(merged?.close),
				openPosition: number(merged?.openPosition),
				closePosition: number(merged?.closePosition),
			});
		}),
		{ numRuns: 60 },
	);
});

test("one call adds to all three tiers of figures", async () => {
	const empty = { sales: 1, priced: 0, units: 0n, volume: 0n, mints: 0, prices: null };
	const minutes = [0, 60_000, 3_600_000].map((bucketMs) => ({
		collectionId: 7,
		bucketMs,
		...empty,
	}));
	await database.db.transaction((tx) => addFigures(tx, 1, { minutes, collections: [] }));
	for (const [tier, sales] of Object.entries({ minute: [1, 1, 1], hour: [2, 1], day: [3] })) {
		const rows = await database.db.query<{ sales: number }>(
			`select sales from market_index.rollup_${tier} where collection_id = 7 order by bucket`,
		);
		expect(rows.map((row) => row.sales)).toEqual(sales);
	}
});
