import { afterAll, beforeAll, expect, test } from "bun:test";
import { RETIRED_AS } from "#plugins/market-index/event/MarketEvent.ts";
import {
	retireExpired,
	retireOrders,
	setOrdersActive,
} from "#plugins/market-index/orders/sql/orders.ts";
import {
	contractOf,
	createMarketFixture,
	ethereum,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { seedOrder } from "#plugins/market-index/testing/seedOrder.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let collectionId: number;

beforeAll(async () => {
	database = await createTestDatabase();
	const fixture = createMarketFixture(database.db, [ethereum]);
	await fixture.seed(ethereum, [saleOf(contractOf(1))]);
	collectionId = await fixture.idOf(ethereum, contractOf(1));
});
afterAll(() => database.drop());

test("an order that ends keeps why, and forgets it when it is active again", async () => {
	const { db } = database;
	const later = { collectionId, expiresAtMs: NOW_MS + 1_000_000 };
	const [gone, bought, partly, missing, over] = [
		await seedOrder(db, later),
		await seedOrder(db, { ...later, quantity: 2n }),
		await seedOrder(db, { ...later, quantity: 2n }),
		await seedOrder(db, later),
		await seedOrder(db, { ...later, expiresAtMs: NOW_MS }),
	];
	const reasons = async () => {
		const rows = await db.query<{ hash: string; as: number | null }>(
			`select '0x' || encode(order_hash, 'hex') as hash, retired_as as as
			from market_index.market_order`,
		);
		const known = new Map(rows.map(({ hash, as }) => [hash, as]));
		return [gone, bought, partly, missing, over].map(({ orderHash }) => known.get(orderHash));
	};
	const at = new Date(NOW_MS);
	const change = (switches: Parameters<typeof setOrdersActive>[1]["switches"]) =>
		db.transaction((tx) => setOrdersActive(tx, { collectionId, generation: 1, at, switches }));
	await change([
		{ orderHash: gone.orderHash, isActive: false, bought: null },
		{ orderHash: bought.orderHash, isActive: false, bought: 2n },
		{ orderHash: partly.orderHash, isActive: false, bought: 1n },
	]);
	await db.transaction((tx) => retireExpired(tx, { collectionId, nowMs: NOW_MS }));
	await db.transaction((tx) =>
		retireOrders(tx, {
			...{ collectionId, generation: 2, kinds: [0], kept: [partly.orderHash], at },
			seenBefore: new Date(NOW_MS + 1),
		}),
	);
	const { expired, filled, gone: told, missing: lost } = RETIRED_AS;
	expect(await reasons()).toEqual([told, filled, null, lost, expired]);
	await change([{ orderHash: gone.orderHash, isActive: true, bought: null }]);
	expect(await reasons()).toEqual([null, filled, null, lost, expired]);
});
