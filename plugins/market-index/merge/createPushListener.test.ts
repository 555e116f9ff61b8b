import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createPushListener } from "#plugins/market-index/merge/createPushListener.ts";
import type { MergedCollection } from "#plugins/market-index/merge/mergeEvents.ts";
import { createMergeLab } from "#plugins/market-index/merge/testing/mergeLab.ts";
import { told } from "#plugins/market-index/merge/testing/told.ts";
import type { OrderPush } from "#plugins/market-index/orders/OrderPush.ts";
import {
	contractOf,
	ethereum,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createFakeProvider } from "#test/harness/fakeProvider.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

let database: TestDatabase;
let lab: ReturnType<typeof createMergeLab>;
beforeAll(async () => {
	database = await createTestDatabase();
	lab = createMergeLab(database.db);
});
afterAll(() => database.drop());
beforeEach(() => lab.clear());

const CATS = contractOf(0xa1);
const sale = saleOf(CATS, { occurredAtMs: NOW_MS - 5_000 });

function listening() {
	const orders: OrderPush[] = [];
	const learned: [MergedCollection, bigint][] = [];
	const { stream, provider } = createFakeProvider();
	provider.stream.onPushes(
		createPushListener({
			db: database.db,
			merge: lab.merge,
			applyOrders: async (pushes) => void orders.push(...pushes),
			applyMetadata: async (collection, tokenIds) => {
				learned.push(...tokenIds.map((id): [MergedCollection, bigint] => [collection, id]));
			},
		}),
	);
	return { stream, orders, learned };
}

test("[MRG-13] a pushed sale is an event, its candle is built, and both are published", async () => {
	await lab.register(CATS);
	const { stream } = listening();
	await stream.push({ type: "event", slug: "cats", event: told(sale) });
	await stream.push({ type: "event", slug: "cats", event: told(sale) });
	expect(await lab.rows()).toMatchObject([{ kind: "sale", verified: false }]);
	const frames = await lab.frames(`collection:ethereum:${CATS}`);
	expect(frames.map(({ type }) => type)).toEqual(["market_event", "candle_update"]);
	const candles = await database.db.query("select sales from market_index.rollup_minute");
	expect(candles).toEqual([{ sales: 1 }]);
});

test("[MRG-13] a pushed sale of an order fills it; one that names no order fills none", async () => {
	await lab.register(CATS);
	const { stream, orders } = listening();
	const orderHash = `0x${"ab".repeat(32)}` as const;
	await stream.push({ type: "event", slug: "cats", event: { ...told(sale), orderHash } });
	await stream.push({ type: "event", slug: "cats", event: { ...told(sale), orderHash: null } });
	const chainId = ethereum.id;
	expect(orders).toEqual([
		{ type: "order_filled", slug: "cats", chainId, orderHash, quantity: 1n },
	]);
});

test("a push about a contract that the index does not have, or about no token, is left out", async () => {
	const { stream, learned } = listening();
	const event = told(sale);
	await stream.push({ type: "event", slug: "cats", event });
	await stream.push({ type: "event", slug: "cats", event: { ...event, nft: null } });
	if (event.nft) await stream.push({ type: "metadata", slug: "cats", nft: event.nft });
	expect(await lab.rows()).toEqual([]);
	expect(learned).toEqual([]);
});

test("[MRG-13] changes of order books and of tokens go to those who keep them", async () => {
	const cats = await lab.register(CATS);
	const { stream, orders, learned } = listening();
	const orderHash = `0x${"1".repeat(64)}` as const;
	const gone = { type: "order_gone", slug: "cats", chainId: ethereum.id, orderHash } as const;
	await stream.push(gone);
	await stream.push({ ...gone, type: "order_back" });
	expect(orders.map(({ type }) => type)).toEqual(["order_gone", "order_back"]);
	const { nft } = told(sale);
	if (nft) await stream.push({ type: "metadata", slug: "cats", nft });
	if (nft) await stream.push({ type: "metadata", slug: "cats", nft: { ...nft, chainId: null } });
	expect(learned).toEqual([[cats, sale.tokenId]]);
});

test("[MRG-13] many pushes at once are merged together, and orders keep the order in which they came", async () => {
	await lab.register(CATS);
	const { stream, orders } = listening();
	const hashOf = (number: number) => `0x${number.toString(16).padStart(64, "0")}` as const;
	const sales = Array.from({ length: 20 }, (_, number) => {
		const one = saleOf(CATS, { tokenId: BigInt(number), occurredAtMs: NOW_MS - 5_000 - number });
		return {
			type: "event",
			slug: "cats",
			event: { ...told(one), orderHash: hashOf(number) },
		} as const;
	});
	const named = { slug: "cats", chainId: ethereum.id };
	const pushes = sales.flatMap((sale, number) => [
		{ type: "order_back", ...named, orderHash: hashOf(number) } as const,
		sale,
		{ type: "order_gone", ...named, orderHash: hashOf(number) } as const,
	]);
	await stream.push(...pushes);
	expect(await lab.rows()).toHaveLength(20);
	expect(orders.map(({ type }) => type)).toEqual(
		sales.flatMap(() => ["order_back", "order_filled", "order_gone"]),
	);
});
