import { describe, expect, test } from "bun:test";
import { MINUTE_MS } from "#core/time.ts";
import type { OrderPush } from "#plugins/market-index/orders/OrderRow.ts";
import type { SyncedCollection } from "#plugins/market-index/pace.ts";
import type { SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { listingOf, statsOf } from "#plugins/market-index/sync/testing/providerWords.ts";
import { withSyncLab } from "#plugins/market-index/sync/testing/withSyncLab.ts";
import { ETH, ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import type { ProviderOrder } from "#plugins/provider/contract.ts";
import type { TestDatabase } from "#test/harness/testDatabase.ts";

describe("applyOrderPushes", () => {
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

	test("[MRG-13] a new listing is stored and published; below the floor it becomes the floor at once", async () => {
		lab.know(collection.address, "cats");
		await lab.sync(collection.id);
		await lab.applyOrderPush(listed(listingOf(collection.address)));
		expect(await types()).toEqual(["floor_update", "market_event"]);
		await lab.applyOrderPush(listed(listingOf(collection.address, { totalRaw: ETH / 4n })));
		expect(await lab.row(collection.id)).toMatchObject({ floor_native: (ETH / 4n).toString() });
		expect((await types()).slice(2)).toEqual(["floor_update", "market_event"]);
	});

	test("a repeated push changes and publishes nothing more", async () => {
		const push = listed(listingOf(collection.address));
		await lab.applyOrderPush(push);
		const once = await types();
		await lab.applyOrderPush(push);
		expect(await types()).toEqual(once);
	});

	test("an order that is gone retires and its book is due at once; one that is back is active again", async () => {
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

	test("pushed orders alone never change the listed count", async () => {
		await lab.applyOrderPush(listed(listingOf(collection.address)));
		expect(await lab.row(collection.id)).toMatchObject({ listed_count: null });
	});

	test("a private, future, expired, free or unpriced listing does not change the floor", async () => {
		const { address } = collection;
		await lab.applyOrderPush(listed(listingOf(address, { isPrivate: true })));
		await lab.applyOrderPush(listed(listingOf(address, { startsAtMs: NOW_MS + 1 })));
		await lab.applyOrderPush(listed(listingOf(address, { expiresAtMs: NOW_MS })));
		await lab.applyOrderPush(listed(listingOf(address, { currency: address, symbol: "ODD" })));
		await lab.applyOrderPush(listed(listingOf(address, { totalRaw: 0n })));
		expect(await lab.row(collection.id)).toMatchObject({ floor_native: null });
	});

	test("pushes about unknown collections and orders change nothing", async () => {
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

	test("[MRG-13] pushes stored together give the same state and frames as pushes stored one by one", async () => {
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

	test("[MRG-13] the cheapest of many simultaneous listings becomes the floor, and each is published", async () => {
		const prices = [5n, 3n, 4n, 2n, 6n];
		const pushes = prices.map((price, number) => {
			const order = listingOf(collection.address, {
				tokenId: BigInt(number),
				totalRaw: price * ETH,
			});
			return listed({ ...order, orderHash: `0x${(number + 1).toString(16).padStart(64, "0")}` });
		});
		await lab.applyOrderPush(...pushes);
		expect(await lab.row(collection.id)).toMatchObject({ floor_native: (2n * ETH).toString() });
		expect(await types()).toEqual(["floor_update", ...prices.map(() => "market_event")]);
	});

	test("a listing that was gone before the next push is no floor, and is published as gone", async () => {
		const order = listingOf(collection.address);
		await lab.applyOrderPush(listed(order), told("order_gone", order), told("order_back", order));
		const statuses = (await lab.frames(collection.address)).flatMap(({ type, data }) =>
			type === "market_event" ? [(data as { status: string }).status] : [],
		);
		expect(statuses).toEqual(["active", "inactive", "active"]);
	});
});

describe("settleBook", () => {
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

	test("an unchanged count has the time of the last count, to the minute", async () => {
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
		test(`the next listing of a known book becomes the floor when the one at the floor is ${what}`, async () => {
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

	test("[MRG-10] a listing expires by time alone: its floor, its count and its frame follow", async () => {
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

	test("a floor whose listing is gone is read again within a minute if the book is incomplete", async () => {
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

	test("an order of several units stays active until all of them are bought", async () => {
		const order = listingOf(collection.address, { quantity: 3n, totalRaw: 3n * ETH });
		await readBook([order]);
		lab.time.nowMs += 1_000;
		await lab.applyOrderPush(filled(order, 2n));
		expect(await lab.row(collection.id)).toMatchObject({ listed_count: 1 });
		await lab.applyOrderPush(filled(order, 3n));
		expect(await lab.row(collection.id)).toMatchObject({ listed_count: 0 });
	});

	test("a sync is due again when the last ask at the floor expires, and within ten minutes", async () => {
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
});
