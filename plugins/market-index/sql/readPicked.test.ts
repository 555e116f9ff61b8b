import { afterAll, beforeAll, expect, test } from "bun:test";
import { HOUR_MS } from "#core/time/units.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windowOf.ts";
import type { CollectionOrder } from "#plugins/market-index/sql/collectionOrder.ts";
import { listCollections } from "#plugins/market-index/sql/listCollections.ts";
import { pickCollections } from "#plugins/market-index/sql/pickCollections.ts";
import { readCollections } from "#plugins/market-index/sql/readCollections.ts";
import { type KnownFigures, readPicked } from "#plugins/market-index/sql/readPicked.ts";
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
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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
	test(`a page by ${order} has the figures that its collections have alone`, async () => {
		for (const limit of LIMITS) {
			const page = await listCollections(database.db, { ...asked, order, limit });
			expect(page.length).toBeGreaterThan(0);
			expect(page).toEqual(await alone(page.map(({ id }) => id)));
		}
	});
}

for (const order of ["trending", "market", "minting"] as const) {
	test(`what is picked by ${order} is the page, in its order, and its sums are right`, async () => {
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

test("columns that are not asked for are not read", async () => {
	const columns = ["slug", "windowSales"] as const;
	const order = "trending";
	const rows = await listCollections(database.db, { ...asked, order, limit: 3, columns });
	const all = await listCollections(database.db, { ...asked, order, limit: 3 });
	expect(rows).toEqual(all.map(({ slug, windowSales }) => ({ slug, windowSales })));
});
