import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { OrderPush } from "#plugins/market-index/orders/applyOrderPush.ts";
import type { SyncedCollection } from "#plugins/market-index/sync/SyncContext.ts";
import { createSyncLab, type SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { listingOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { ETH, ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import type { ProviderOrder } from "#plugins/provider/contract.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: SyncLab;
let collection: SyncedCollection;
beforeAll(async () => {
	database = await createTestDatabase();
});
beforeEach(async () => {
	lab = createSyncLab(database.db);
	await lab.clear();
	collection = await lab.register();
	await lab.touch(collection.id, "stream");
	await lab.set(collection.id, "provider_slug = 'cats', orders_due_at = '2026-01-01'");
});
afterAll(() => database.drop());

const listed = (order: ProviderOrder): OrderPush => ({ type: "order", slug: "cats", order });
const told = (type: "order_gone" | "order_back", { orderHash }: ProviderOrder): OrderPush => ({
	type,
	slug: "cats",
	chainId: ethereum.id,
	orderHash,
});
const types = async () => (await lab.frames(collection.address)).map(({ type }) => type);

test("[MRG-13] a new listing is stored and told; below the floor it is the floor at once", async () => {
	lab.know(collection.address, "cats");
	await lab.sync(collection.id);
	await lab.applyOrderPush(listed(listingOf(collection.address)));
	expect(await types()).toEqual(["floor_update", "market_event"]);
	await lab.applyOrderPush(listed(listingOf(collection.address, { totalRaw: ETH / 4n })));
	expect(await lab.row(collection.id)).toMatchObject({ floor_native: (ETH / 4n).toString() });
	expect((await types()).slice(2)).toEqual(["floor_update", "market_event"]);
});

test("the same push twice changes and tells nothing more", async () => {
	const push = listed(listingOf(collection.address));
	await lab.applyOrderPush(push);
	const once = await types();
	await lab.applyOrderPush(push);
	expect(await types()).toEqual(once);
});

test("an order that is gone is retired, its book due at once; one that is back is active again", async () => {
	const order = listingOf(collection.address);
	lab.fake.answers.listings = async () => ({ items: [order], cursor: null });
	await lab.tick("order-books");
	expect(await lab.row(collection.id)).toMatchObject({ listed_count: 1 });
	lab.time.nowMs += 1_000;
	await lab.applyOrderPush(told("order_gone", order));
	expect(await lab.row(collection.id)).toMatchObject({
		listed_count: 0,
		orders_due_at: new Date(NOW_MS + 1_000),
	});
	await lab.applyOrderPush(told("order_back", order));
	expect(await lab.row(collection.id)).toMatchObject({ listed_count: 1 });
	const status = (await lab.frames(collection.address)).flatMap(({ type, data }) =>
		type === "market_event" ? [(data as { status: string }).status] : [],
	);
	expect(status).toEqual(["active", "inactive", "active"]);
});

test("a few pushed orders are no count of what is listed", async () => {
	await lab.applyOrderPush(listed(listingOf(collection.address)));
	expect(await lab.row(collection.id)).toMatchObject({ listed_count: null });
});

test("a private listing, one of later and one without a rate move no floor", async () => {
	const { address } = collection;
	await lab.applyOrderPush(listed(listingOf(address, { isPrivate: true })));
	await lab.applyOrderPush(listed(listingOf(address, { startsAtMs: NOW_MS + 1 })));
	await lab.applyOrderPush(listed(listingOf(address, { expiresAtMs: NOW_MS })));
	await lab.applyOrderPush(listed(listingOf(address, { currency: address, symbol: "ODD" })));
	await lab.applyOrderPush(listed(listingOf(address, { totalRaw: 0n })));
	expect(await lab.row(collection.id)).toMatchObject({ floor_native: null });
});

test("pushes about what nobody here knows change nothing", async () => {
	const order = listingOf(collection.address);
	await lab.applyOrderPush({ ...listed(order), slug: "other" } as OrderPush);
	await lab.applyOrderPush(told("order_gone", order));
	await lab.applyOrderPush(told("order_back", order));
	await lab.applyOrderPush(listed({ ...order, chainId: 999_999 }));
	expect(await types()).toEqual([]);
});
