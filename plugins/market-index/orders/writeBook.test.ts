import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Hex } from "#core/chain/Hex.ts";
import { readPages } from "#plugins/market-index/orders/readBook.ts";
import { writeBook } from "#plugins/market-index/orders/writeBook.ts";
import type { SyncedCollection } from "#plugins/market-index/pace.ts";
import type { SyncLab } from "#plugins/market-index/sync/testing/createSyncLab.ts";
import { listingOf, nextHash } from "#plugins/market-index/sync/testing/providerWords.ts";
import { withSyncLab } from "#plugins/market-index/sync/testing/withSyncLab.ts";
import { ETH, ethereum, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";
import type { ProviderFigure, ProviderOrder } from "#plugins/provider/contract.ts";
import type { TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: SyncLab;
let collection: SyncedCollection;
withSyncLab(async (made) => {
	({ database, lab } = made);
	collection = await lab.register();
	await lab.discovered([collection.id]);
	await lab.set(collection.id, "provider_slug = 'cats'");
});

type Book = { isWhole?: boolean; statsFloor?: ProviderFigure; askedAtMs?: number };

/** One sync of the book, with listings and offers mixed. */
async function write(orders: readonly ProviderOrder[], book: Book = {}): Promise<void> {
	const { isWhole = true, statsFloor = null, askedAtMs = lab.time.nowMs } = book;
	const side = async (name: string) => {
		const items = orders.filter((order) => order.side === name);
		const { prices } = lab;
		const page = async () => ({ items, cursor: isWhole ? null : "more" });
		const read = await readPages(page, { collection, pagesMax: 1, prices, nowMs: askedAtMs });
		return { ...read, isCut: false };
	};
	const reading = {
		listings: await side("listing"),
		offers: await side("offer"),
		statsFloor,
		isStatsRead: true,
		askedAtMs,
	};
	const { core, prices } = lab;
	await database.db.transaction((tx) =>
		writeBook(tx, reading, { core, prices, chain: ethereum, collection }),
	);
}

async function active(): Promise<Hex[]> {
	const rows = await database.db.query<{ hash: Hex }>(
		`select '0x' || encode(order_hash, 'hex') as hash from market_index.market_order
		where is_active order by 1`,
	);
	return rows.map(({ hash }) => hash);
}

const offerOf = (given: Partial<ProviderOrder> = {}) =>
	listingOf(collection.address, {
		side: "offer",
		kind: "collection_offer",
		tokenId: null,
		...given,
	});

test("[MRG-10] after any series of syncs exactly the orders of the last one are active", async () => {
	const hashes = Array.from({ length: 8 }, nextHash);
	const book = fc.array(
		fc.record({ hash: fc.nat(7), isOffer: fc.boolean(), price: fc.integer({ min: 1, max: 9 }) }),
		{ maxLength: 10 },
	);
	await fc.assert(
		fc.asyncProperty(fc.array(book, { minLength: 1, maxLength: 4 }), async (books) => {
			await database.db.execute("truncate market_index.market_order");
			for (const [turn, entries] of books.entries()) {
				lab.time.nowMs += 30_000;
				// One hash is one order: its side never changes.
				const orders = entries.map(({ hash, price }) => {
					const given = { orderHash: hashes[hash] ?? "0x", totalRaw: BigInt(price) * ETH };
					return hash % 2
						? offerOf(given)
						: listingOf(collection.address, { ...given, tokenId: BigInt(hash) });
				});
				await write(orders);
				const expected = [...new Set(orders.map(({ orderHash }) => orderHash))].sort();
				expect(await active()).toEqual(expected);
				const asks = new Map(
					orders.filter(({ side }) => side === "listing").map((one) => [one.orderHash, one]),
				);
				const least = [...asks.values()]
					.map(({ totalRaw }) => totalRaw)
					.sort((a, b) => Number(a - b));
				expect(await lab.row(collection.id)).toMatchObject({
					listed_count: asks.size,
					floor_native: least[0]?.toString() ?? null,
				});
				expect(turn).toBeLessThan(4);
			}
		}),
		{ numRuns: 15 },
	);
});

test("an unchanged order is not written again until its seen time is due", async () => {
	const { address } = collection;
	const same = listingOf(address);
	const others = (price: bigint) => [
		same,
		listingOf(address, { orderHash: `0x${"ee".repeat(32)}`, totalRaw: price * ETH }),
	];
	const seen = async () => {
		const rows = await database.db.query<{ seen: Date; price: string }>(
			`select seen_at as seen, total_raw as price from market_index.market_order
			where is_active order by order_hash`,
		);
		return rows.map(({ seen, price }) => [seen.getTime() - NOW_MS, Number(BigInt(price) / ETH)]);
	};
	await write(others(2n));
	lab.time.nowMs += 30_000;
	await write(others(3n));
	expect(await seen()).toEqual([
		[0, 1],
		[30_000, 3],
	]);
	lab.time.nowMs = NOW_MS + 600_000;
	await write(others(3n));
	expect(await seen()).toEqual([
		[600_000, 1],
		[30_000, 3],
	]);
});

test("[MRG-10] a retired order that is read again is active, and one that is read twice is stored once", async () => {
	const order = listingOf(collection.address);
	await write([order, { ...order, totalRaw: 2n * ETH }]);
	await write([], { askedAtMs: lab.time.nowMs + 1 });
	expect(await active()).toEqual([]);
	lab.time.nowMs += 30_000;
	await write([order]);
	expect(await active()).toEqual([order.orderHash]);
});

test("[MRG-10] an incomplete reading of a book retires no recent order, and counts none", async () => {
	const [first, second] = [listingOf(collection.address), listingOf(collection.address)];
	await write([first, second]);
	lab.time.nowMs += 30_000;
	await write([second], { isWhole: false });
	expect(await active()).toEqual([first.orderHash, second.orderHash].sort());
	expect(await lab.row(collection.id)).toMatchObject({ listed_count: null });
	lab.time.nowMs += 3_600_001;
	await write([second], { isWhole: false });
	expect(await active()).toEqual([second.orderHash]);
});

test("a stream's change during the reading of a book takes precedence over the book", async () => {
	const [kept, gone, fresh] = [1, 2, 3].map(() => listingOf(collection.address));
	if (!kept || !gone || !fresh) return expect.unreachable();
	await write([kept, gone]);
	lab.time.nowMs += 30_000;
	const askedAtMs = lab.time.nowMs;
	lab.time.nowMs += 2_000;
	await lab.applyOrderPush({
		type: "order_gone",
		slug: "cats",
		chainId: ethereum.id,
		orderHash: gone.orderHash,
	});
	await lab.applyOrderPush({ type: "order", slug: "cats", order: fresh });
	await write([kept, gone], { askedAtMs });
	expect(await active()).toEqual([kept.orderHash, fresh.orderHash].sort());
});

test("the listed count is of distinct tokens that anybody may buy now; the cheapest is the floor", async () => {
	const { address } = collection;
	const token = { tokenId: 1n };
	await write([
		listingOf(address, token),
		listingOf(address, { ...token, totalRaw: 3n * ETH }),
		listingOf(address, { totalRaw: 6n * ETH, quantity: 10n }),
		listingOf(address, { totalRaw: 1n, isPrivate: true }),
		listingOf(address, { totalRaw: 1n, startsAtMs: NOW_MS + 1 }),
		listingOf(address, { totalRaw: 1n, expiresAtMs: NOW_MS }),
		listingOf(address, { totalRaw: 1n, isActive: false }),
		listingOf(address, { totalRaw: 0n }),
		offerOf({ totalRaw: 1n }),
	]);
	expect(await lab.row(collection.id)).toMatchObject({
		listed_count: 2,
		floor_native: ((6n * ETH) / 10n).toString(),
	});
});

test("orders of another chain or contract, without price or token, are not stored", async () => {
	const { address } = collection;
	await write([
		listingOf(address, { chainId: 10 }),
		listingOf(address, { contract: `0x${"99".repeat(20)}` }),
		listingOf(address, { quantity: 0n }),
		listingOf(address, { tokenId: null }),
		listingOf(address, { totalRaw: 0n }),
		listingOf(address, { totalRaw: 2n ** 256n }),
		listingOf(address, { tokenId: 2n ** 256n }),
	]);
	expect(await active()).toEqual([]);
});

test("[MRG-05] a price without a rate is unknown, and a known price is not erased", async () => {
	const currency = `0x${"a9".repeat(20)}` as const;
	const order = listingOf(collection.address, { currency, symbol: "APE" });
	const native = async () =>
		(
			await database.db.query<{ at: string }>(
				"select unit_native as at from market_index.market_order",
			)
		)[0]?.at;
	await write([order]);
	expect(await native()).toBeNull();
	lab.prices.setEth(2_000);
	lab.prices.set({ chainId: ethereum.id, currency, usd: 4 });
	await write([order]);
	expect(await native()).toBe((ETH / 500n).toString());
	lab.prices.setEth(null);
	await write([order]);
	expect(await native()).toBe((ETH / 500n).toString());
});

test("the provider's own floor takes precedence over the best ask, as it covers more markets", async () => {
	await write([listingOf(collection.address)], { statsFloor: { value: 0.4, symbol: "ETH" } });
	expect(await lab.row(collection.id)).toMatchObject({ floor_native: "400000000000000000" });
});

test("[STR-04] new and gone orders are published one by one, with the changed floor", async () => {
	lab.prices.setEth(2_000);
	const order = listingOf(collection.address, { totalRaw: 4n * ETH, quantity: 2n });
	const offer = offerOf();
	await write([order, offer]);
	lab.time.nowMs += 30_000;
	await write([offer]);
	const frames = await lab.frames(collection.address);
	expect(frames.map(({ type, data }) => [type, data])).toMatchObject([
		[
			"floor_update",
			{
				floorNative: 2,
				floorUsd: 4_000,
				floorPrice: 2,
				floorSymbol: "ETH",
				observedAt: new Date(NOW_MS).toISOString(),
			},
		],
		[
			"market_event",
			{
				id: `order:${order.orderHash}`,
				chain: "ethereum",
				contractAddress: collection.address,
				eventType: "listing",
				status: "active",
				priceNative: 2,
				priceUsd: 4_000,
				quantity: "2",
				totalRaw: (4n * ETH).toString(),
				occurredAt: new Date(NOW_MS).toISOString(),
			},
		],
		["market_event", { eventType: "offer", kind: "collection_offer", status: "active" }],
		["floor_update", { floorNative: null, floorUsd: null }],
		["market_event", { orderHash: order.orderHash, status: "inactive" }],
	]);
	await write([offer]);
	expect(await lab.frames(collection.address)).toHaveLength(5);
});

test("[STR-03] too many order changes for a stream are published as one snapshot_required", async () => {
	await write(Array.from({ length: 41 }, () => listingOf(collection.address)));
	expect((await lab.frames(collection.address)).map(({ type, data }) => [type, data])).toEqual([
		["floor_update", expect.anything()],
		["snapshot_required", { reason: "too_many_orders" }],
	]);
});

test("[MRG-10] retired orders are pruned after a week, and expired ones are retired", async () => {
	const expiring = listingOf(collection.address, { expiresAtMs: Date.now() - 60_000 });
	const order = listingOf(collection.address);
	await write([expiring, order]);
	lab.time.nowMs = Date.now();
	await lab.tick("prune-orders");
	expect(await active()).toEqual([order.orderHash]);
	const retiredAgo = (seconds: number) =>
		database.db.execute(
			`update market_index.market_order set retired_at = now() - $1 * interval '1 second'
			where not is_active`,
			[seconds],
		);
	// However far a process's clock is ahead: the database's time decides.
	lab.time.nowMs += 8 * 86_400_000;
	await retiredAgo(7 * 86_400 - 600);
	const count = async () =>
		(await database.db.query("select from market_index.market_order")).length;
	await lab.tick("prune-orders");
	expect(await count()).toBe(2);
	await retiredAgo(7 * 86_400 + 1);
	await lab.tick("prune-orders");
	expect(await count()).toBe(1);
});
