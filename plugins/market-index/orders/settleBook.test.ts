import { expect, test } from "bun:test";
import { MINUTE_MS } from "#core/time/units.ts";
import type { OrderPush } from "#plugins/market-index/orders/OrderPush.ts";
import type { SyncedCollection } from "#plugins/market-index/pace/SyncContext.ts";
import type { SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { listingOf, statsOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { withSyncLab } from "#plugins/market-index/sync/testing/withSyncLab.ts";
import { ETH, ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import type { ProviderOrder } from "#plugins/provider/contract.ts";

let lab: SyncLab;
let collection: SyncedCollection;
withSyncLab(async (made) => {
	lab = made.lab;
	collection = await lab.register();
	await lab.touch(collection.id, "stream");
	await lab.set(collection.id, "provider_slug = 'cats', orders_due_at = '2026-01-01'");
});

const about = { slug: "cats", chainId: ethereum.id };
const gone = ({ orderHash }: ProviderOrder): OrderPush => ({
	type: "order_gone",
	orderHash,
	...about,
});
const filled = ({ orderHash }: ProviderOrder, quantity = 1n): OrderPush => ({
	type: "order_filled",
	orderHash,
	quantity,
	...about,
});
const listed = (order: ProviderOrder): OrderPush => ({ type: "order", slug: "cats", order });

/** The whole book as the provider has it; it tells no floor of its own. */
async function readBook(orders: readonly ProviderOrder[]): Promise<void> {
	lab.fake.answers.stats = async () => statsOf({ floor: null });
	lab.fake.answers.listings = async () => ({ items: [...orders], cursor: null });
	await lab.tick("order-books");
}
const told = async () =>
	(await lab.frames(collection.address)).map(({ type, data }) =>
		type === "floor_update"
			? (data as { floorNative: number | null }).floorNative
			: (data as { status: string }).status,
	);

test("a count that stayed the same is as old as the last count, to the minute", async () => {
	const [first, second] = [listingOf(collection.address), listingOf(collection.address)];
	await readBook([first]);
	const readMs = lab.time.nowMs;
	const countedAt = async () => {
		const { listed_count, listed_at } = await lab.row(collection.id);
		return [listed_count, (listed_at as Date).getTime()];
	};
	lab.time.nowMs += 2 * MINUTE_MS;
	await lab.applyOrderPushes([listed(second), gone(first)]);
	expect(await countedAt()).toEqual([1, lab.time.nowMs]);
	expect(lab.time.nowMs).toBeGreaterThan(readMs);
});

for (const [what, go] of [
	["cancelled", gone],
	["sold", filled],
] as const) {
	test(`when the listing at the floor is ${what} the next one of a known book is the floor`, async () => {
		const [first, second] = [1n, 2n].map((price) =>
			listingOf(collection.address, { totalRaw: price * ETH }),
		);
		if (!first || !second) return expect.unreachable();
		await readBook([first, second]);
		lab.time.nowMs += 1_000;
		await lab.applyOrderPush(go(first));
		expect(await lab.row(collection.id)).toMatchObject({
			floor_native: (2n * ETH).toString(),
			floor_price: 2,
			listed_count: 1,
		});
		await lab.applyOrderPush(go(second));
		expect(await lab.row(collection.id)).toMatchObject({ floor_native: null, listed_count: 0 });
		// The first sync's two orders and floor; then each that went, and what that made the floor.
		expect((await told()).slice(-4)).toEqual([2, "inactive", null, "inactive"]);
	});
}

test("[MRG-10] with nothing but time a listing ends: its floor, its count and its frame follow", async () => {
	const expiresAtMs = NOW_MS + 10 * MINUTE_MS;
	const { address } = collection;
	const orders = [
		listingOf(address, { totalRaw: ETH, expiresAtMs }),
		listingOf(address, { totalRaw: 3n * ETH }),
	];
	await readBook(orders);
	lab.time.nowMs = expiresAtMs - 1;
	await lab.tick("prune-orders");
	expect(await lab.row(collection.id)).toMatchObject({ floor_native: ETH.toString() });
	lab.time.nowMs = expiresAtMs;
	await lab.tick("prune-orders");
	expect(await lab.row(collection.id)).toMatchObject({
		floor_native: (3n * ETH).toString(),
		listed_count: 1,
		next_at: new Date(expiresAtMs),
	});
	expect((await told()).slice(-2)).toEqual([3, "inactive"]);
	// A provider that still calls it active does not bring it back.
	await lab.set(collection.id, "orders_due_at = '2026-01-01', watched_until = '2099-01-01'");
	await readBook(orders);
	expect(await lab.row(collection.id)).toMatchObject({ listed_count: 1 });
	expect(await told()).toHaveLength(5);
});

test("where the book is not known a floor that went is asked for again within a minute", async () => {
	lab.know(collection.address, "cats");
	await lab.sync(collection.id);
	lab.time.nowMs += 10_000;
	const order = listingOf(collection.address, { totalRaw: ETH / 4n });
	const other = listingOf(collection.address, { totalRaw: ETH });
	await lab.applyOrderPush(listed(order));
	await lab.applyOrderPush(listed(other));
	await lab.applyOrderPush(gone(other));
	const before = await lab.row(collection.id);
	expect(before["next_at"]).toEqual(new Date(NOW_MS + 10 * MINUTE_MS));
	await lab.applyOrderPush(filled(order));
	const after = await lab.row(collection.id);
	expect(after["next_at"]).toEqual(new Date(NOW_MS + MINUTE_MS));
	// One whose syncs fail keeps its own time.
	await lab.set(collection.id, `failures = 1, next_at = '2099-01-01'`);
	const again = listingOf(collection.address, { totalRaw: ETH / 8n });
	await lab.applyOrderPush(listed(again));
	await lab.applyOrderPush(gone(again));
	expect((await lab.row(collection.id))["next_at"]).toEqual(new Date("2099-01-01"));
});

test("an order of several units is there until all of them are bought", async () => {
	const order = listingOf(collection.address, { quantity: 3n, totalRaw: 3n * ETH });
	await readBook([order]);
	lab.time.nowMs += 1_000;
	await lab.applyOrderPush(filled(order, 2n));
	expect(await lab.row(collection.id)).toMatchObject({ listed_count: 1 });
	await lab.applyOrderPush(filled(order, 3n));
	expect(await lab.row(collection.id)).toMatchObject({ listed_count: 0 });
});

test("a floor ends a sync's peace: the next comes when the last ask at it is over", async () => {
	lab.know(collection.address, "cats");
	const { address } = collection;
	const half = { totalRaw: ETH / 2n };
	const orders = [3, 5].map((minutes) =>
		listingOf(address, { ...half, expiresAtMs: NOW_MS + minutes * MINUTE_MS }),
	);
	lab.fake.answers.bestListings = async () => ({ items: orders, cursor: null });
	await lab.sync(collection.id);
	const nextAt = async () => (await lab.row(collection.id))["next_at"];
	expect(await nextAt()).toEqual(new Date(NOW_MS + 5 * MINUTE_MS));
	orders.push(listingOf(address, half));
	await lab.sync(collection.id);
	expect(await nextAt()).toEqual(new Date(NOW_MS + 10 * MINUTE_MS));
	orders.splice(0, 3, listingOf(address, { ...half, expiresAtMs: NOW_MS + 1_000 }));
	await lab.sync(collection.id);
	expect(await nextAt()).toEqual(new Date(NOW_MS + MINUTE_MS));
});
