import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import { createPushListener, doubtJob } from "#plugins/market-index/merge/createPushListener.ts";
import {
	DOUBT_AFTER_BLOCKS,
	DOUBT_AFTER_MS,
} from "#plugins/market-index/merge/readProviderEvent.ts";
import type { MergedCollection } from "#plugins/market-index/merge/sql.ts";
import {
	createMergeLab,
	HEAD_BLOCK,
	timeOf,
} from "#plugins/market-index/merge/testing/mergeLab.ts";
import { told } from "#plugins/market-index/merge/testing/told.ts";
import type { OrderPush } from "#plugins/market-index/orders/OrderRow.ts";
import {
	contractOf,
	ethereum,
	mintOf,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import { createFakeProvider } from "#test/harness/fakes.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

describe("createPushListener", () => {
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

	test("[MRG-13] a pushed sale is stored, and published with its candle", async () => {
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

	test("[MRG-13] a pushed sale fills the order that it names; without an order it fills none", async () => {
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

	test("a push about a contract that is not indexed, or about no token, is ignored", async () => {
		const { stream, learned } = listening();
		const event = told(sale);
		await stream.push({ type: "event", slug: "cats", event });
		await stream.push({ type: "event", slug: "cats", event: { ...event, nft: null } });
		if (event.nft) await stream.push({ type: "metadata", slug: "cats", nft: event.nft });
		expect(await lab.rows()).toEqual([]);
		expect(learned).toEqual([]);
	});

	test("[MRG-13] changes of orders and tokens are passed on to the order book and the token reader", async () => {
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

	test("[MRG-13] many simultaneous pushes are merged together, and orders keep their order of arrival", async () => {
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
});

describe("doubtJob", () => {
	let database: TestDatabase;
	let lab: ReturnType<typeof createMergeLab>;
	beforeAll(async () => {
		database = await createTestDatabase();
		lab = createMergeLab(database.db);
	});
	afterAll(() => database.drop());
	beforeEach(() => lab.clear());

	const CATS = contractOf(0xb1);
	const BLOCK = HEAD_BLOCK - 1;
	const sale = saleOf(CATS, { blockNumber: BLOCK, occurredAtMs: timeOf(BLOCK) });
	const mint = mintOf(CATS, {
		blockNumber: BLOCK,
		logIndex: 9,
		occurredAtMs: timeOf(BLOCK),
		tokenId: 5n,
	});

	/** Runs the job so much later, with the lanes so many blocks past the one that was lost. */
	async function doubt(laterMs = DOUBT_AFTER_MS, blocks = DOUBT_AFTER_BLOCKS): Promise<void> {
		const access: ChainAccess = { chain: ethereum, rpcFor: () => ({}) as Rpc, headUrls: [] };
		const job = doubtJob({
			...lab.options,
			db: database.db,
			clock: { nowMs: () => NOW_MS + laterMs },
			indexed: [access],
			scanner: {
				progress: async (chainId, lane) => ({
					chainId,
					lane,
					headBlock: BLOCK + blocks,
					indexedBlock: BLOCK + blocks,
					indexedAtMs: NOW_MS,
				}),
				lock: async (tx, chainId) => {
					await tx.execute("select pg_advisory_xact_lock($1)", [chainId]);
				},
			},
		});
		await job.run({ signal: new AbortController().signal });
	}

	async function lost() {
		const collection = await lab.register(CATS);
		await lab.apply(ethereum, [sale, mint], { live: true });
		await lab.merge(collection, [told(sale), told(mint)]);
		await lab.revert(ethereum, BLOCK - 1);
		expect(await lab.unconfirmed()).toBe(2);
		return collection;
	}
	const left = async () => (await lab.rows()).length;
	/** Sales and mints that the collection counts, and those that its minutes do. */
	async function figures() {
		return database.db.query(
			`select c.sales::int4, c.mints::int4, c.volume_native::text as volume,
			coalesce(sum(r.sales), 0)::int4 as "minuteSales",
			coalesce(sum(r.mints), 0)::int4 as "minuteMints"
		from market_index.collection as c
		left join market_index.rollup_minute as r on r.collection_id = c.id group by c.id`,
		);
	}
	const figuresOf = (sales: number, mints: number) => [
		{ sales, mints, volume: expect.any(String), minuteSales: sales, minuteMints: mints },
	];

	test("[ING-11] an event that left the chain and does not return counts as never happened", async () => {
		await lost();
		const topic = `collection:ethereum:${CATS}`;
		const before = (await lab.frames(topic)).length;
		await doubt();
		expect([await left(), await lab.unconfirmed()]).toEqual([0, 0]);
		expect(await figures()).toEqual([
			{ sales: 0, mints: 0, volume: "0", minuteSales: 0, minuteMints: 0 },
		]);
		const frames = (await lab.frames(topic)).slice(before);
		const retracted = frames.filter(({ type }) => type === "market_event");
		expect(retracted.map(({ data }) => (data as { retracted: boolean }).retracted)).toEqual([
			true,
			true,
		]);
	});

	test("no event is doubted before its time, or before its lane is far beyond it", async () => {
		await lost();
		await doubt(DOUBT_AFTER_MS - 1);
		await doubt(DOUBT_AFTER_MS, DOUBT_AFTER_BLOCKS - 1);
		expect(await left()).toBe(2);
	});

	test("an event that the chain contains again, or that only the provider reported, is not doubted", async () => {
		const collection = await lost();
		const blockNumber = BLOCK + 1;
		const again = {
			...sale,
			blockNumber,
			logIndex: 77,
			blockHash: `0x${"77".repeat(32)}`,
		} as const;
		await lab.apply(ethereum, [again], { live: true });
		const elsewhere = saleOf(CATS, { occurredAtMs: NOW_MS - 1_000, tokenId: 8n });
		await lab.merge(collection, [told(elsewhere)]);
		await doubt();
		const kept = (await lab.rows()).map(({ kind, token, verified }) => ({ kind, token, verified }));
		expect(kept).toEqual([
			{ kind: "sale", token: again.tokenId.toString(), verified: true },
			{ kind: "sale", token: "8", verified: false },
		]);
		expect(await figures()).toEqual(figuresOf(2, 0));
	});

	test("a doubted event that the chain contains later is stored again, once", async () => {
		await lost();
		await doubt();
		await lab.apply(ethereum, [{ ...mint, blockNumber: BLOCK + 900 }], { live: true });
		expect(await lab.rows()).toMatchObject([{ kind: "mint", verified: true }]);
		expect(await figures()).toEqual(figuresOf(0, 1));
	});
});
