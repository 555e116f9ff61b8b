import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import type { Address } from "#core/chain/Hex.ts";
import { faultOf } from "#core/http/faults.ts";
import { problemResponse } from "#core/http/problems.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { collectionsPage } from "#plugins/market-index/read/collectionsPage.ts";
import { marketRoutes } from "#plugins/market-index/routes/marketRoutes.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	base,
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	mintOf,
	NOW_MS,
	polygon,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import {
	countedSales,
	minuteOf,
	randomTrades,
	STRANGE_COIN,
	volumeOf,
} from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

const UNCHANGED = { floorPercent: null, volumePercent: null };

describe("getCollection.200", () => {
	let database: TestDatabase;
	let fixture: Fixture;
	let ask: (path: string) => Promise<Answer>;
	let next = 0x500;
	let contract: Address;

	beforeAll(async () => {
		database = await createTestDatabase();
	});
	afterAll(() => database.drop());
	beforeEach(() => {
		fixture = createMarketFixture(database.db);
		ask = createAsk(fixture);
		contract = contractOf(next++);
	});

	async function detail(chain = "ethereum") {
		const { status, body } = await ask(`/collections/${contract}?chain=${chain}`);
		expect(status).toBe(200);
		return body;
	}

	test("[API-06] [IDX-03] the detail has market, mint, lastSale, stats and observedAt", async () => {
		await fixture.seed(ethereum, [mintOf(contract), saleOf(contract)]);
		const body = await detail();
		expect(Object.keys(body).sort()).toEqual([
			"figures",
			"lastSale",
			"market",
			"mint",
			"observedAt",
			"stats",
		]);
		expect(body.market).toMatchObject({
			slug: contract,
			chain: "ethereum",
			sales24h: 1,
			floor: null,
		});
		expect(body.stats).toEqual({
			data: { total: { floor_price: null, floor_price_symbol: null } },
		});
		expect(body.observedAt).toBe(new Date(NOW_MS).toISOString());
	});

	test("[IDX-03] mint: the last mint's unit price, the hour's mint events, all minted units", async () => {
		await fixture.seed(ethereum, [
			mintOf(contract, { occurredAtMs: NOW_MS - 3 * HOUR_MS, quantity: 5n, totalRaw: 5n * ETH }),
			mintOf(contract, { occurredAtMs: NOW_MS - 30 * MINUTE_MS, totalRaw: ETH }),
			mintOf(contract, { occurredAtMs: NOW_MS - MINUTE_MS, quantity: 4n, totalRaw: 2n * ETH }),
			mintOf(contract, { occurredAtMs: NOW_MS, accepted: false, quantity: 9n, totalRaw: 9n * ETH }),
		]);
		const body = await detail();
		expect(body.mint).toEqual({
			active: true,
			priceNative: 0.5,
			mints1h: 2,
			mintedSupply: 10,
			coverage: {},
		});
		expect(body.market.lastMintAt).toBe(new Date(NOW_MS - MINUTE_MS).toISOString());
	});

	test("[IDX-03] a free mint costs 0, and one that was never read is unknown", async () => {
		await fixture.seed(ethereum, [mintOf(contract)]);
		expect((await detail()).mint).toMatchObject({ priceNative: 0 });
		contract = contractOf(next++);
		await fixture.seed(ethereum, [saleOf(contract)]);
		expect((await detail()).mint).toEqual({
			active: false,
			priceNative: null,
			mints1h: 0,
			mintedSupply: 0,
			coverage: {},
		});
	});

	test("[IDX-03] only a free mint has a known price while the native currency has no rate", async () => {
		await fixture.seed(polygon, [mintOf(contract, { totalRaw: ETH })]);
		expect((await detail("polygon")).mint.priceNative).toBeNull();
		await fixture.seed(polygon, [mintOf(contract, { occurredAtMs: NOW_MS })]);
		expect((await detail("polygon")).mint.priceNative).toBe(0);
	});

	test("[IDX-03] a mint that was paid in a token has the token's value at that time", async () => {
		const currency = contractOf(0xc01);
		await fixture.seed(ethereum, [
			mintOf(contract, { currency, quantity: 2n, totalRaw: 50_000_000n, occurredAtMs: NOW_MS }),
		]);
		const unknown = await detail();
		expect(unknown.mint.priceNative).toBeNull();
		expect(unknown.figures.mintPriceNative).toMatchObject({ value: null, reason: "no_price" });
		fixture.prices.setEth(2_500);
		fixture.prices.set({ chainId: ethereum.id, currency, usd: 1, decimals: 6 });
		const { mint, figures } = await detail();
		expect(mint.priceNative).toBe(0.01);
		expect(figures.mintPriceNative).toMatchObject({ valueRaw: "10000000000000000" });
	});

	test("[IDX-03] mint.active ends an hour after the last mint", async () => {
		await fixture.seed(ethereum, [mintOf(contract, { occurredAtMs: NOW_MS })]);
		expect((await detail()).mint.active).toBe(true);
		fixture.setNow(NOW_MS + HOUR_MS + MINUTE_MS);
		expect((await detail()).mint).toMatchObject({ active: false, mints1h: 0 });
	});

	test("[IDX-03] [IDX-10] lastSale is the newest accepted sale, whatever was read or arrived later", async () => {
		const sale = saleOf(contract, {
			tokenId: 2n ** 255n,
			quantity: 2n,
			totalRaw: 3n * ETH,
			occurredAtMs: NOW_MS - MINUTE_MS,
			payload: { image_url: "", display_image_url: "https://images.test/b.png" },
		});
		await fixture.seed(ethereum, [sale]);
		await fixture.seed(ethereum, [
			saleOf(contract, { occurredAtMs: NOW_MS, accepted: false, reason: "self_trade" }),
			saleOf(contract, { occurredAtMs: NOW_MS - HOUR_MS }),
		]);
		expect((await detail()).lastSale).toEqual({
			tokenId: (2n ** 255n).toString(),
			occurredAt: new Date(NOW_MS - MINUTE_MS).toISOString(),
			priceNative: 1.5,
			priceUsd: null,
			transactionHash: sale.transactionHash,
			imageUrl: "https://images.test/b.png",
		});
	});

	test("[IDX-03] a collection without an accepted sale has no last sale", async () => {
		await fixture.seed(ethereum, [saleOf(contract, { accepted: false, reason: "zero_price" })]);
		expect((await detail()).lastSale).toBeNull();
	});

	test("[IDX-04] a sold-out collection shows minted_out for 15 minutes, then secondary", async () => {
		await fixture.seed(ethereum, [mintOf(contract, { quantity: 10n, occurredAtMs: NOW_MS })]);
		await database.db.execute(
			"update market_index.collection set max_supply = 10 where slug = $1",
			[contract],
		);
		expect(await detail()).toMatchObject({
			market: { lifecycle: "minted_out" },
			mint: { active: false },
		});
		fixture.setNow(NOW_MS + 15 * MINUTE_MS);
		expect((await detail()).market.lifecycle).toBe("minted_out");
		fixture.setNow(NOW_MS + 15 * MINUTE_MS + 1);
		expect((await detail()).market.lifecycle).toBe("secondary");
		const ended = await ask("/trending?chain=ethereum&lifecycle=ended&limit=200");
		expect(ended.body.rows).toMatchObject([
			{ slug: contract, lifecycle: "secondary", soldOut: false },
		]);
	});

	test("sync.coverageEnd is set only while the lanes are level with the head", async () => {
		await fixture.seed(ethereum, [saleOf(contract)]);
		const lookedAt = { indexedAtMs: NOW_MS - 90_000, coveredUntilMs: NOW_MS - 1_000 };
		const lane = { chainId: ethereum.id, lane: "sale" as const, ...lookedAt };
		fixture.progress.set(ethereum.id, { ...lane, headBlock: 99, indexedBlock: 99 });
		const end = new Date(NOW_MS - 1_000).toISOString();
		expect((await detail()).market.sync).toEqual({ status: "queued", coverageEnd: end });
		fixture.progress.set(ethereum.id, { ...lane, headBlock: 100, indexedBlock: 99 });
		expect((await detail()).market.sync.coverageEnd).toBeNull();
	});
});

describe("getCollections.200", () => {
	const TRADED = Array.from({ length: 12 }, (_, index) => contractOf(0x100 + index));
	const QUIET = contractOf(0x200);
	const MINTED = contractOf(0x201);
	const STRANGE = contractOf(0x202);
	const EXCLUDED = contractOf(0x203);
	const trades = randomTrades({ seed: 7, contracts: TRADED, count: 900, days: 3 });

	let database: TestDatabase;
	let fixture: Fixture;
	let ask: (path: string) => Promise<Answer>;

	beforeAll(async () => {
		database = await createTestDatabase();
		fixture = createMarketFixture(database.db);
		await fixture.seed(ethereum, trades);
		await fixture.seed(ethereum, [
			saleOf(QUIET, { occurredAtMs: NOW_MS - 9 * DAY_MS }),
			mintOf(MINTED, { occurredAtMs: NOW_MS - 5 * DAY_MS }),
			saleOf(STRANGE, { currency: STRANGE_COIN }),
			saleOf(EXCLUDED, { totalRaw: 10n ** 24n }),
		]);
		await fixture.seed(base, [saleOf(contractOf(0x300))]);
		await database.db.execute(
			"update market_index.collection set excluded = true where address = $1",
			[Buffer.from(EXCLUDED.slice(2), "hex")],
		);
	});
	afterAll(() => database.drop());

	/** Each test has a page cache of its own and the clock at NOW. */
	beforeEach(() => {
		const fresh = createMarketFixture(database.db);
		fixture = fresh;
		ask = createAsk(fresh);
	});

	/** Figures as the events say, not as the rollups do. */
	function figures(contract: string) {
		const since = minuteOf(NOW_MS - DAY_MS);
		const { sales, priced } = countedSales(
			trades.filter((event) => event.contract === contract),
			since,
		);
		return { sales: sales.length, volume: volumeOf(priced) };
	}

	test("[API-01] [IDX-10] 24h volume and sales are those of the accepted sales, to the minute", async () => {
		const { status, body } = await ask("/collections?chain=ethereum&limit=200");
		expect(status).toBe(200);
		for (const contract of TRADED) {
			const row = body.normalized.find(({ slug }: { slug: string }) => slug === contract);
			const { sales, volume } = figures(contract);
			expect(row).toMatchObject({ sales24h: sales, contractAddress: contract });
			expect(row.volume24hNative).toBeCloseTo(volume, 9);
			expect(row.volume_24h).toBe(row.volume24hNative);
		}
	});

	test("a sale counts from the start of its minute for 24 hours and the rest of that minute", async () => {
		const edge = contractOf(0x400);
		const start = minuteOf(NOW_MS - DAY_MS);
		await fixture.seed(ethereum, [
			saleOf(edge, { occurredAtMs: start - 1 }),
			saleOf(edge, { occurredAtMs: start }),
			saleOf(edge, { occurredAtMs: NOW_MS }),
		]);
		const before = await ask(`/collections/${edge}`);
		expect(before.body.market).toMatchObject({ sales24h: 2, volume24hNative: 2 });
		fixture.setNow(NOW_MS + 60_000);
		const after = await ask(`/collections/${edge}`);
		expect(after.body.market).toMatchObject({ sales24h: 1, volume24hNative: 1 });
		await database.db.execute("delete from market_index.rollup_minute where collection_id = $1", [
			await fixture.idOf(ethereum, edge),
		]);
		for (const table of ["rollup_hour", "rollup_day", "event"]) {
			await database.db.execute(`delete from market_index.${table} where collection_id = $1`, [
				await fixture.idOf(ethereum, edge),
			]);
		}
		await database.db.execute("delete from market_index.collection where id = $1", [
			await fixture.idOf(ethereum, edge),
		]);
	});

	test("[API-01] trending: sales in 24 hours, then volume, then the others by last sale and mint", async () => {
		const { body } = await ask("/collections?limit=200");
		const slugs = body.normalized.map(({ slug }: { slug: string }) => slug);
		const expected = TRADED.map((contract) => ({ contract, ...figures(contract) }))
			.concat({ contract: STRANGE, sales: 1, volume: 0 })
			.sort((a, b) => b.sales - a.sales || b.volume - a.volume)
			.map(({ contract }) => contract);
		expect(slugs).toEqual([...expected, QUIET, MINTED]);
		const three = await ask("/collections?limit=3");
		expect(three.body.normalized).toEqual(body.normalized.slice(0, 3));
	});

	test("[API-01] top: volume of all time; new: registered last", async () => {
		const top = await ask("/collections?mode=top&limit=200");
		const allTime = TRADED.map((contract) => {
			const mine = trades.filter((event) => event.contract === contract);
			return { contract, volume: volumeOf(countedSales(mine).priced) };
		}).sort((a, b) => b.volume - a.volume);
		const slugs = top.body.normalized.map(({ slug }: { slug: string }) => slug);
		expect(slugs.slice(0, 3)).toEqual(allTime.slice(0, 3).map(({ contract }) => contract));
		const newest = await ask("/collections?mode=new&limit=3");
		const last = newest.body.normalized.map(({ slug }: { slug: string }) => slug);
		// Registered together, so the order of the contracts in the batch decides.
		expect(last).toEqual([STRANGE, MINTED, QUIET]);
	});

	test("an excluded collection is in no list", async () => {
		for (const mode of ["trending", "top", "new"]) {
			const { body } = await ask(`/collections?mode=${mode}&limit=200`);
			expect(JSON.stringify(body)).not.toContain(EXCLUDED);
			expect(body.normalized).toHaveLength(15);
		}
	});

	test("[IDX-01] a row has every field of the record and of the market, null where unknown", async () => {
		const { body } = await ask("/collections?limit=200");
		const row = body.normalized.find(({ slug }: { slug: string }) => slug === QUIET);
		expect(row).toEqual({
			slug: QUIET,
			chain: "ethereum",
			contractAddress: QUIET,
			name: null,
			imageUrl: null,
			syncStatus: "queued",
			lastProviderAt: null,
			floorNative: null,
			volume24hNative: 0,
			volumeRaw: "0",
			volumeCurrency: { symbol: "ETH", decimals: 18 },
			ownersCount: null,
			listedCount: null,
			totalSupply: null,
			sales24h: 0,
			lifecycle: "secondary",
			revealState: "unknown",
			revealCheckedAt: null,
			revealedAt: null,
			lastMintAt: null,
			floor: null,
			floor_price: null,
			floor_price_usd: null,
			changes: {
				"5m": UNCHANGED,
				"1h": UNCHANGED,
				"6h": UNCHANGED,
				"24h": UNCHANGED,
				// Its only sale is ten days old.
				"7d": { floorPercent: null, volumePercent: -100 },
			},
			listedPercent: null,
			volume_24h: 0,
			owners: null,
			coverage: {},
			sync: { status: "queued", coverageEnd: null },
			health: { providerConnected: false },
			provider_stream: "off",
		});
	});

	test("a volume of 0 beside sales is unknown, and a floor of 0 too", async () => {
		const { db } = database;
		await db.execute("update market_index.collection set floor_native = 0 where slug = $1", [
			STRANGE,
		]);
		await db.execute("update market_index.collection set floor_native = 25e17 where slug = $1", [
			QUIET,
		]);
		const { body } = await ask("/collections?limit=200");
		const row = (contract: string) =>
			body.normalized.find(({ slug }: { slug: string }) => slug === contract);
		expect(row(STRANGE)).toMatchObject({
			sales24h: 1,
			volume24hNative: null,
			volume_24h: null,
			floor: null,
			floorNative: null,
		});
		expect(row(QUIET)).toMatchObject({ floor: 2.5, floor_price: 2.5, floorNative: 2.5 });
		await db.execute("update market_index.collection set floor_native = null");
	});

	test("[API-01] raw rows name the chain in contracts and have source svc_index, in the same order", async () => {
		const { body } = await ask("/collections?limit=200");
		const [first] = body.normalized;
		expect(body.data.collections).toHaveLength(body.normalized.length);
		expect(body.data.collections[0]).toEqual({
			collection: first.slug,
			name: null,
			image_url: null,
			contracts: [{ address: first.contractAddress, chain: "ethereum" }],
			source: "svc_index",
		});
	});

	test("[API-01] scope=chain keeps to the chain and scope=all includes every indexed one", async () => {
		const chainsOf = async (path: string) => {
			const { body } = await ask(path);
			return new Set(body.normalized.map(({ chain }: { chain: string }) => chain));
		};
		expect(await chainsOf("/collections")).toEqual(new Set(["ethereum"]));
		expect(await chainsOf("/collections?chain=8453")).toEqual(new Set(["base"]));
		expect(await chainsOf("/collections?chain=base&scope=all&limit=200")).toEqual(
			new Set(["ethereum", "base"]),
		);
		const empty = await ask("/collections?chain=matic");
		expect(empty.body).toMatchObject({ normalized: [], data: { collections: [] } });
		expect(empty.body.freshness.chain).toBe("polygon");
	});

	const level = {
		chainId: ethereum.id,
		lane: "sale" as const,
		headBlock: 100,
		indexedBlock: 100,
		indexedAtMs: NOW_MS,
	};

	test("a page of a chain whose lanes catch up is built again each second", async () => {
		const secondMs = Math.ceil(NOW_MS / 1_000) * 1_000;
		const outcome = async (afterMs: number) => {
			fixture.setNow(secondMs + afterMs);
			return (await ask("/collections?limit=9")).headers.get("x-svc-cache");
		};
		fixture.progress.set(ethereum.id, { ...level, indexedBlock: 30 });
		expect(await outcome(0)).toBe("miss");
		expect(await outcome(999)).toBe("hit");
		expect(await outcome(1_000)).toBe("miss");
		fixture.progress.set(ethereum.id, { ...level, indexedBlock: 36 });
		expect(await outcome(2_000)).toBe("miss");
		expect(await outcome(5_000)).toBe("hit");
	});

	test("pages of a chain without a live lane are cached like others, until a lane starts there", async () => {
		const outcome = async (afterMs: number) => {
			fixture.setNow(NOW_MS + afterMs);
			return (await ask("/collections?limit=6")).headers.get("x-svc-cache");
		};
		// Nobody follows the chain: as with NFT_DISCOVERY_CHAINS, or while no worker has begun.
		expect(await outcome(0)).toBe("miss");
		expect(await outcome(14_999)).toBe("hit");
		expect(await outcome(15_000)).toBe("stale");
		await until(async () => (await outcome(16_000)) === "hit", "the page was rebuilt");
		// A lane's first block: what was kept is of before it.
		fixture.progress.set(ethereum.id, { ...level, headBlock: 100, indexedBlock: 99 });
		expect(await outcome(16_001)).toBe("miss");
		expect(await outcome(16_002)).toBe("hit");
		// Its worker died far behind the head: what is not moving is not caught up with.
		const moved = { ...level, headBlock: 900, indexedBlock: 99 };
		fixture.progress.set(ethereum.id, { ...moved, indexedAtMs: NOW_MS + 20_000 });
		expect(await outcome(20_000)).toBe("miss");
		expect(await outcome(21_000)).toBe("miss");
		expect(await outcome(79_999)).toBe("miss");
		expect(await outcome(80_000)).toBe("miss");
		expect(await outcome(94_999)).toBe("hit");
	});

	test("[API-01] the page has its cache state: miss, hit for 15 s, stale up to 90 s", async () => {
		const outcome = async (afterMs: number) => {
			fixture.setNow(NOW_MS + afterMs);
			const { headers } = await ask("/collections?limit=7");
			return headers.get("x-svc-cache");
		};
		fixture.progress.set(ethereum.id, level);
		expect(await outcome(0)).toBe("miss");
		expect(await outcome(14_999)).toBe("hit");
		expect(await outcome(15_000)).toBe("stale");
		expect(await outcome(10 * 90_000)).toBe("miss");
		const other = await ask("/collections?limit=8");
		expect(other.headers.get("x-svc-cache")).toBe("miss");
	});

	test("[API-18] freshness is that of the moment of serving, also on a cached page", async () => {
		const at = (block: number, atMs: number) => ({
			chainId: ethereum.id,
			lane: "sale" as const,
			headBlock: block + 3,
			indexedBlock: block,
			indexedAtMs: atMs,
		});
		fixture.progress.set(ethereum.id, at(100, NOW_MS - 2_000));
		await ask("/collections");
		fixture.setNow(NOW_MS + 5_000);
		fixture.progress.set(ethereum.id, at(104, NOW_MS + 4_000));
		const { headers, body } = await ask("/collections");
		expect(headers.get("x-svc-cache")).toBe("hit");
		expect(body.freshness).toEqual({
			chain: "ethereum",
			headBlock: 107,
			indexedBlock: 104,
			indexedAt: new Date(NOW_MS + 4_000).toISOString(),
			lagBlocks: 3,
			listRefreshedAt: null,
			servedAt: new Date(NOW_MS + 5_000).toISOString(),
		});
		expect(body.normalized[0].sync.coverageEnd).toBeNull();
	});

	test("[API-18] a silent lane is unknown, and its lag is not 0", async () => {
		const { body } = await ask("/collections");
		expect(body.freshness).toMatchObject({
			headBlock: null,
			indexedBlock: null,
			indexedAt: null,
			lagBlocks: null,
		});
	});

	test("[API-24] a build with another page version never reads an old page", async () => {
		const query = { chains: [ethereum], mode: "top" as const, limit: 3, scope: "chain" as const };
		fixture.progress.set(ethereum.id, level);
		const old = await collectionsPage({ ...fixture, version: "0" }, query);
		expect(old.outcome).toBe("miss");
		expect((await collectionsPage({ ...fixture, version: "0" }, query)).outcome).toBe("hit");
		expect((await collectionsPage({ ...fixture, version: "1" }, query)).outcome).toBe("miss");
		// The version that this build uses when nobody names one is such a tag too.
		const keys: string[] = [];
		const pageCache = {
			get: async (key: string, rebuild: () => Promise<string>) => {
				keys.push(key);
				return { outcome: "miss" as const, body: await rebuild() };
			},
			clear: () => {},
		};
		await collectionsPage({ ...fixture, core: { ...fixture.core, pageCache } }, query);
		expect(keys).toEqual([expect.stringMatching(/collections:v\d+:ethereum:chain:top:3:0$/)]);
	});

	test("a page is one JSON document also if names contain quotes and line breaks", async () => {
		await database.db.execute("update market_index.collection set name = $1 where slug = $2", [
			'a "quoted"\n name}',
			QUIET,
		]);
		const { body } = await ask("/collections?limit=200");
		const row = body.normalized.find(({ slug }: { slug: string }) => slug === QUIET);
		expect(row.name).toBe('a "quoted"\n name}');
		await database.db.execute("update market_index.collection set name = null");
	});

	test("the 24 hours end with the newest hour, and no sale is counted twice across tiers", async () => {
		const { body } = await ask("/trending?window=7d&limit=200&chain=ethereum");
		const total = body.rows.reduce((sum: number, row: { sales: number }) => sum + row.sales, 0);
		const inWeek = countedSales(trades, minuteOf(NOW_MS - 7 * DAY_MS)).sales.length;
		expect(total).toBe(inWeek + 1);
		const hour = await ask("/trending?window=1h&limit=200&chain=ethereum");
		const sold = hour.body.rows.reduce((sum: number, row: { sales: number }) => sum + row.sales, 0);
		expect(sold).toBe(countedSales(trades, minuteOf(NOW_MS - HOUR_MS)).sales.length + 1);
	});
});

describe("postResync.202", () => {
	const CONTRACT = contractOf(0x100);

	let database: TestDatabase;
	let fixture: Fixture;
	const repaired: number[] = [];

	beforeAll(async () => {
		database = await createTestDatabase();
		fixture = createMarketFixture(database.db);
		await fixture.seed(ethereum, [mintOf(CONTRACT)]);
	});
	afterAll(() => database.drop());

	function call(path: string, method = "POST"): Promise<Response> {
		const resync = async (id: number) => {
			repaired.push(id);
			return "queued";
		};
		const app = new Elysia()
			.onError(({ error }) => problemResponse(faultOf(error), { requestId: "test" }))
			.use(marketRoutes({ ...fixture, resync }));
		return app.handle(
			new Request(`http://localhost/v1/nft-market/collections/${path}`, { method }),
		);
	}

	test("[API-07] a resync without a body is accepted, and returns the state of the sync", async () => {
		const response = await call(`${CONTRACT}/resync?chain=ethereum`);
		expect(response.status).toBe(202);
		expect(await response.json()).toEqual({
			slug: CONTRACT,
			chain: "ethereum",
			syncStatus: "queued",
		});
		expect(repaired).toEqual([await fixture.idOf(ethereum, CONTRACT)]);
	});

	test("[API-07] a resync of an unknown collection or chain is refused, and repairs nothing", async () => {
		repaired.length = 0;
		expect((await call("nothing/resync")).status).toBe(404);
		expect((await call(`${CONTRACT}/resync?chain=nowhere`)).status).toBe(422);
		expect(repaired).toEqual([]);
	});

	test("[MRG-16] reading detail or candles marks a collection as watched; activity and sales do not", async () => {
		fixture.touched.length = 0;
		const id = await fixture.idOf(ethereum, CONTRACT);
		for (const path of ["", "/candles", "/activity", "/sales"])
			await call(`${CONTRACT}${path}`, "GET");
		expect(fixture.touched).toEqual([
			[id, "detail"],
			[id, "candles"],
		]);
	});

	test("[IDX-02] [MRG-02] a market's floor in USD uses today's rate, else the last known one", async () => {
		const market = async () => (await (await call(CONTRACT, "GET")).json()).market;
		expect(await market()).toMatchObject({ floor: null, floor_price_usd: null });
		await database.db.execute(
			"update market_index.collection set floor_native = 2e18, floor_usd = 3000",
		);
		expect(await market()).toMatchObject({ floor: 2, floor_price: 2, floor_price_usd: 3_000 });
		fixture.prices.setEth(2_000);
		expect(await market()).toMatchObject({ floor_price: 2, floor_price_usd: 4_000 });
	});
});
