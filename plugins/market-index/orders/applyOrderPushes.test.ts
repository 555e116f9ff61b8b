import { expect, test } from "bun:test";
import type { OrderPush } from "#plugins/market-index/orders/OrderPush.ts";
import type { SyncedCollection } from "#plugins/market-index/pace/SyncContext.ts";
import type { SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { listingOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { withSyncLab } from "#plugins/market-index/sync/testing/withSyncLab.ts";
import { ETH, ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import type { ProviderOrder } from "#plugins/provider/contract.ts";
import type { TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: SyncLab;
let collection: SyncedCollection;
withSyncLab(async (made) => {
	({ database, lab } = made);
	collection = await lab.register();
	await lab.touch(collection.id, "stream");
	await lab.set(collection.id, "provider_slug = 'cats', orders_due_at = '2026-01-01'");
});

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

/** A burst of changes of six orders, as a seed makes it. */
function burstOf(seed: number): OrderPush[] {
	let state = seed;
	const next = (below: number) => {
		state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
		return (state >>> 8) % below;
	};
	const orders = Array.from({ length: 6 }, (_, number) => ({
		...listingOf(collection.address, { tokenId: BigInt(number), quantity: 2n }),
		orderHash: `0x${(number + 1).toString(16).padStart(64, "0")}` as const,
	}));
	return Array.from({ length: 40 }, (): OrderPush => {
		const order = orders[next(6)] ?? listingOf(collection.address);
		const named = { slug: "cats", chainId: ethereum.id, orderHash: order.orderHash };
		const kind = next(5);
		if (kind === 0) return told("order_gone", order);
		if (kind === 1) return told("order_back", order);
		if (kind === 2) return { type: "order_filled", ...named, quantity: BigInt(1 + next(3)) };
		return listed({ ...order, totalRaw: (ETH * BigInt(1 + next(9))) / 2n });
	});
}

test("[MRG-13] pushes that are stored together leave what they leave one by one, and tell the same of each order", async () => {
	const state = async () => {
		const frames = await lab.frames(collection.address);
		const statuses = frames.flatMap(({ type, data }) =>
			type === "market_event" ? [data as { id: string; status: string }] : [],
		);
		const last = new Map(statuses.map(({ id, status }) => [id, status]));
		const orders = await database.db.query(
			`select order_hash, is_active, total_raw, quantity, unit_native, generation
			from market_index.market_order order by order_hash`,
		);
		return { orders, last: [...last].sort() };
	};
	for (const seed of [1, 2, 3, 4, 5]) {
		const burst = burstOf(seed);
		// One by one, time passes; together it does not.
		for (const push of burst) {
			lab.time.nowMs += 1;
			await lab.applyOrderPush(push);
		}
		const apart = await state();
		const { address } = collection;
		await lab.clear();
		collection = await lab.register({ address });
		await lab.touch(collection.id, "stream");
		await lab.set(collection.id, "provider_slug = 'cats', orders_due_at = '2026-01-01'");
		await lab.applyOrderPush(...burst);
		expect({ seed, ...(await state()) }).toEqual({ seed, ...apart });
		await lab.clear();
		collection = await lab.register();
		await lab.touch(collection.id, "stream");
		await lab.set(collection.id, "provider_slug = 'cats', orders_due_at = '2026-01-01'");
	}
});

test("[MRG-13] of many listings at once the cheapest is the floor, told once, and each listing is told", async () => {
	const prices = [5n, 3n, 4n, 2n, 6n];
	const pushes = prices.map((price, number) => {
		const order = listingOf(collection.address, { tokenId: BigInt(number), totalRaw: price * ETH });
		return listed({ ...order, orderHash: `0x${(number + 1).toString(16).padStart(64, "0")}` });
	});
	await lab.applyOrderPush(...pushes);
	expect(await lab.row(collection.id)).toMatchObject({ floor_native: (2n * ETH).toString() });
	expect(await types()).toEqual(["floor_update", ...prices.map(() => "market_event")]);
});

test("a listing that went before the next push is no floor, and is told as gone", async () => {
	const order = listingOf(collection.address);
	await lab.applyOrderPush(listed(order), told("order_gone", order), told("order_back", order));
	const statuses = (await lab.frames(collection.address)).flatMap(({ type, data }) =>
		type === "market_event" ? [(data as { status: string }).status] : [],
	);
	expect(statuses).toEqual(["active", "inactive", "active"]);
});
