import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { HOUR_MS, MINUTE_MS } from "#core/time/units.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
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
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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
	expect(body.stats).toEqual({ data: { total: { floor_price: null, floor_price_symbol: null } } });
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

test("[IDX-03] a free mint costs 0, and one that was never seen is unknown", async () => {
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

test("[IDX-03] where the native currency has no rate, only a free mint has a known price", async () => {
	await fixture.seed(polygon, [mintOf(contract, { totalRaw: ETH })]);
	expect((await detail("polygon")).mint.priceNative).toBeNull();
	await fixture.seed(polygon, [mintOf(contract, { occurredAtMs: NOW_MS })]);
	expect((await detail("polygon")).mint.priceNative).toBe(0);
});

test("[IDX-03] a mint that was paid in a token is worth what the token's rate said then", async () => {
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

test("[IDX-03] [IDX-10] lastSale is the newest accepted sale, whatever came after or arrived last", async () => {
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

test("[IDX-03] without an accepted sale there is no last sale", async () => {
	await fixture.seed(ethereum, [saleOf(contract, { accepted: false, reason: "zero_price" })]);
	expect((await detail()).lastSale).toBeNull();
});

test("[IDX-04] a sold-out collection shows minted_out for 15 minutes, then secondary, and mints no more", async () => {
	await fixture.seed(ethereum, [mintOf(contract, { quantity: 10n, occurredAtMs: NOW_MS })]);
	await database.db.execute("update market_index.collection set max_supply = 10 where slug = $1", [
		contract,
	]);
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

test("sync.coverageEnd is told only while the lanes are level with the head", async () => {
	await fixture.seed(ethereum, [saleOf(contract)]);
	const lookedAt = { indexedAtMs: NOW_MS - 90_000, coveredUntilMs: NOW_MS - 1_000 };
	const lane = { chainId: ethereum.id, lane: "sale" as const, ...lookedAt };
	fixture.progress.set(ethereum.id, { ...lane, headBlock: 99, indexedBlock: 99 });
	const end = new Date(NOW_MS - 1_000).toISOString();
	expect((await detail()).market.sync).toEqual({ status: "queued", coverageEnd: end });
	fixture.progress.set(ethereum.id, { ...lane, headBlock: 100, indexedBlock: 99 });
	expect((await detail()).market.sync.coverageEnd).toBeNull();
});
