import { afterAll, beforeAll, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS } from "#core/time/units.ts";
import { TILE_KEYS } from "#plugins/market-index/schemas/tileSchema.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	NOW_MS,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import {
	countedSales,
	eth,
	minuteOf,
	randomTrades,
	STRANGE_COIN,
	volumeOf,
} from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

const BUSY = contractOf(0x100);
const trades = randomTrades({ seed: 3, contracts: [BUSY], count: 400, days: 40 }).concat(
	randomTrades({ seed: 4, contracts: [BUSY], count: 100, days: 2 }),
);

let database: TestDatabase;
let fixture: Fixture;
let ask: (path: string) => Promise<Answer>;

beforeAll(async () => {
	database = await createTestDatabase();
	fixture = createMarketFixture(database.db);
	await fixture.seed(ethereum, trades);
	ask = createAsk(fixture);
});
afterAll(() => database.drop());

async function tiles(contract: string) {
	const { body } = await ask(`/collections/${contract}/sales`);
	expect(body.tiles.map(({ key }: { key: string }) => key)).toEqual([...TILE_KEYS]);
	const values: Record<string, number | null> = {};
	for (const { key, value } of body.tiles) values[key] = value;
	return { list: body.tiles, values };
}

test("[API-10] [IDX-10] points are the accepted sales of the range, newest first, page by page", async () => {
	const ranges = {
		"1h": HOUR_MS,
		"24h": DAY_MS,
		"7d": 7 * DAY_MS,
		"30d": 30 * DAY_MS,
		all: NOW_MS,
	};
	for (const [range, lengthMs] of Object.entries(ranges)) {
		const { sales } = countedSales(trades, minuteOf(NOW_MS - lengthMs));
		const expected = sales
			.sort((a, b) => b.occurredAtMs - a.occurredAtMs || b.logIndex - a.logIndex)
			.map(({ tokenId }) => tokenId.toString());
		const seen: string[] = [];
		let cursor = "";
		do {
			const path = `/collections/${BUSY}/sales?range=${range}&limit=60${cursor}`;
			const { body } = await ask(path);
			seen.push(...body.points.map(({ tokenId }: { tokenId: string }) => tokenId));
			cursor = body.page.nextCursor === null ? "" : `&cursor=${body.page.nextCursor}`;
		} while (cursor !== "");
		expect(seen).toEqual(expected);
	}
});

test("[API-10] a point has image, token, rank, price, traits, and who sold to whom", async () => {
	const contract = contractOf(0x101);
	const traits = [{ trait_type: "Hat", value: "Red" }];
	const sale = saleOf(contract, {
		tokenId: 77n,
		quantity: 2n,
		totalRaw: ETH,
		payload: { image_url: "https://images.test/a.png", traits },
	});
	await fixture.seed(ethereum, [sale]);
	const { body } = await ask(`/collections/${contract}/sales`);
	expect(body.points).toEqual([
		{
			tokenId: "77",
			imageUrl: "https://images.test/a.png",
			rank: null,
			priceNative: 0.5,
			priceUsd: null,
			traits,
			occurredAt: new Date(sale.occurredAtMs).toISOString(),
			transactionHash: sale.transactionHash,
			venue: "seaport",
			buyer: sale.to,
			seller: sale.from,
		},
	]);
});

test("[API-10] [IDX-10] the tiles are what the day's accepted sales say", async () => {
	const { priced, sales } = countedSales(trades, minuteOf(NOW_MS - DAY_MS));
	const twoDays = countedSales(trades, minuteOf(NOW_MS - 2 * DAY_MS)).priced;
	const units = priced.reduce((sum, { quantity }) => sum + Number(quantity), 0);
	const prices = priced
		.map(({ totalRaw, quantity }) => eth((totalRaw ?? 0n) / quantity))
		.sort((a, b) => a - b);
	const middle = (prices.length - 1) / 2;
	const median = ((prices[Math.floor(middle)] ?? 0) + (prices[Math.ceil(middle)] ?? 0)) / 2;
	const volume = volumeOf(priced);
	const before = volumeOf(twoDays) - volume;
	expect(prices.length).toBeGreaterThan(20);
	const { values } = await tiles(BUSY);
	expect(values.sales24h).toBe(sales.length);
	expect(values.volume24h).toBeCloseTo(volume, 9);
	expect(values.averagePrice24h).toBeCloseTo(volume / units, 9);
	expect(values.medianPrice24h).toBeCloseTo(median, 9);
	expect(values.highestSale24h).toBeCloseTo(prices.at(-1) ?? 0, 9);
	expect(values.lowestSale24h).toBeCloseTo(prices[0] ?? 0, 9);
	expect(values.volumeChange24h).toBeCloseTo(((volume - before) / before) * 100, 6);
});

test("[API-10] of an even number of sales the median is the mean of the two in the middle", async () => {
	const contract = contractOf(0x102);
	const prices = [1n, 9n, 2n, 4n].map((price) => saleOf(contract, { totalRaw: price * ETH }));
	await fixture.seed(ethereum, prices);
	expect((await tiles(contract)).values).toMatchObject({ medianPrice24h: 3 });
	await fixture.seed(ethereum, [saleOf(contract, { totalRaw: 3n * ETH })]);
	expect((await tiles(contract)).values).toMatchObject({ medianPrice24h: 3 });
});

test("[API-10] 13 tiles, and those that nobody can know are null with no time", async () => {
	fixture.progress.set(ethereum.id, {
		chainId: ethereum.id,
		lane: "sale",
		headBlock: 5,
		indexedBlock: 5,
		indexedAtMs: NOW_MS - 1_000,
		coveredFromMs: 0,
		coveredUntilMs: NOW_MS - 1_000,
	});
	const contract = contractOf(0x103);
	await fixture.seed(ethereum, [saleOf(contract, { currency: STRANGE_COIN })]);
	const { list, values } = await tiles(contract);
	expect(list).toHaveLength(13);
	const { sales24h, ...unknown } = values;
	expect(sales24h).toBe(1);
	expect(new Set(Object.values(unknown))).toEqual(new Set([null]));
	const at = new Date(NOW_MS - 1_000).toISOString();
	for (const { key, label, unit, asOf } of list) {
		expect(asOf).toBe(key === "sales24h" ? at : null);
		expect(label.length > 0 && ["ETH", "percent", "count"].includes(unit)).toBe(true);
	}
});

test("[API-10] what a provider counts is shown with its own time", async () => {
	const contract = contractOf(0x104);
	await fixture.seed(ethereum, [saleOf(contract)]);
	await database.db.execute(
		`update market_index.collection set provider_owners = 40, listed_count = 5, total_supply = 50,
			floor_native = 2e18, last_provider_at = '2026-03-10T14:00:00Z',
			provider_owners_at = '2026-03-10T10:00:00Z', listed_at = '2026-03-10T11:00:00Z',
			supply_at = '2026-03-10T12:00:00Z', floor_at = '2026-03-10T13:00:00Z' where slug = $1`,
		[contract],
	);
	const { list, values } = await tiles(contract);
	expect(values).toMatchObject({ floor: 2, owners: 40, listed: 5, supply: 50, listedPercent: 10 });
	const times = { owners: 10, listed: 11, supply: 12, floor: 13, listedPercent: 11 };
	for (const [name, hour] of Object.entries(times)) {
		const tile = list.find(({ key }: { key: string }) => key === name);
		expect([name, tile.asOf]).toEqual([name, `2026-03-10T${hour}:00:00.000Z`]);
		expect(tile.source).toBe(name === "supply" ? "chain" : "provider");
	}
});
