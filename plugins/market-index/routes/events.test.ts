import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import type { NewEvent } from "#plugins/market-index/model.ts";
import { TILE_KEYS } from "#plugins/market-index/schemas/figures.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	mintOf,
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

describe("getActivity.200", () => {
	const BUSY = contractOf(0x100);
	const OTHER = contractOf(0x101);
	const BLOCK_MS = NOW_MS - 1_000;
	/** Three months, so that pages cross partitions, and a crowd in one block. */
	const events = [
		...randomTrades({ seed: 11, contracts: [BUSY, OTHER], count: 300, days: 70 }),
		...Array.from({ length: 40 }, (_, index) =>
			(index % 2 ? mintOf : saleOf)(BUSY, { occurredAtMs: BLOCK_MS, logIndex: 7, subIndex: index }),
		),
	];

	let database: TestDatabase;
	let fixture: Fixture;
	let ask: (path: string) => Promise<Answer>;

	beforeAll(async () => {
		database = await createTestDatabase();
		fixture = createMarketFixture(database.db);
		await fixture.seed(ethereum, events);
		ask = createAsk(fixture);
	});
	afterAll(() => database.drop());

	/** Newest first, by time and then by place in the block. */
	function expectedIds(kind?: string) {
		return events
			.filter((event) => event.contract === BUSY && (!kind || event.kind === kind))
			.sort(
				(a, b) =>
					b.occurredAtMs - a.occurredAtMs ||
					b.blockNumber - a.blockNumber ||
					b.logIndex - a.logIndex ||
					b.subIndex - a.subIndex,
			)
			.map(({ blockHash, logIndex, subIndex }) => `${blockHash}:${logIndex}:${subIndex}`);
	}

	async function walk(query: string): Promise<string[]> {
		const ids: string[] = [];
		let cursor = "";
		do {
			const { body } = await ask(`/collections/${BUSY}/activity?${query}${cursor}`);
			ids.push(...body.data.map(({ id }: { id: string }) => id));
			expect(body.page.hasMore).toBe(body.page.nextCursor !== null);
			cursor = body.page.nextCursor === null ? "" : `&cursor=${body.page.nextCursor}`;
		} while (cursor !== "");
		return ids;
	}

	test("[API-09] pages of any size give each event once, newest first, across blocks and months", async () => {
		const all = expectedIds();
		for (const limit of [1, 7, 50, 200]) expect(await walk(`limit=${limit}`)).toEqual(all);
	});

	test("[API-09] type selects only events of that kind", async () => {
		expect(await walk("type=sale&limit=9")).toEqual(expectedIds("sale"));
		expect(await walk("type=mint&limit=9")).toEqual(expectedIds("mint"));
		expect(await walk("type=transfer")).toEqual([]);
	});

	test("[API-09] a page has 50 rows by default, and the last page has no cursor", async () => {
		const { body } = await ask(`/collections/${BUSY}/activity`);
		expect(body.data).toHaveLength(50);
		const exact = expectedIds("mint").length;
		const whole = await ask(`/collections/${BUSY}/activity?type=mint&limit=${exact}`);
		expect(whole.body.page).toEqual({ nextCursor: null, hasMore: false });
	});

	test("[IDX-12] [API-09] a row has every field of an event; image and traits are the payload's", async () => {
		const contract = contractOf(0x102);
		const payload = {
			image_url: "https://images.test/a.png",
			display_image_url: "https://images.test/b.png",
			traits: [{ trait_type: "Hat", value: "Red" }],
		};
		const sale = saleOf(contract, { quantity: 2n, totalRaw: 3n * ETH, payload, tokenId: 9n });
		await fixture.seed(ethereum, [sale]);
		const { body } = await ask(`/collections/${contract}/activity`);
		expect(body.data).toEqual([
			{
				id: `${sale.blockHash}:${sale.logIndex}:0`,
				chain: "ethereum",
				contractAddress: contract,
				eventType: "sale",
				accepted: true,
				reason: null,
				onchainVerified: true,
				transactionHash: sale.transactionHash,
				blockNumber: sale.blockNumber,
				logIndex: sale.logIndex,
				tokenId: "9",
				quantity: "2",
				from: sale.from,
				to: sale.to,
				venue: "seaport",
				priceNative: 1.5,
				priceUsd: null,
				amountRaw: (1_500n * 10n ** 15n).toString(),
				totalRaw: (3n * ETH).toString(),
				settlementCurrency: { symbol: "ETH", address: contractOf(0), decimals: 18 },
				occurredAt: new Date(sale.occurredAtMs).toISOString(),
				imageUrl: "https://images.test/a.png",
				traits: [{ trait_type: "Hat", value: "Red" }],
				providerPayload: payload,
			},
		]);
	});

	test("[IDX-12] the image falls back to display_image_url; mints, transfers and refused sales are rows too", async () => {
		const contract = contractOf(0x103);
		const display = { display_image_url: "https://images.test/b.png" };
		await fixture.seed(ethereum, [
			mintOf(contract, { occurredAtMs: NOW_MS - 3_000, payload: display }),
			saleOf(contract, { occurredAtMs: NOW_MS - 2_000, accepted: false, reason: "self_trade" }),
			saleOf(contract, {
				occurredAtMs: NOW_MS - 1_000,
				kind: "transfer",
				totalRaw: null,
				currency: null,
			}),
		]);
		const { body } = await ask(`/collections/${contract}/activity`);
		expect(body.data).toMatchObject([
			{ eventType: "transfer", priceNative: null, amountRaw: null, settlementCurrency: null },
			{ eventType: "sale", accepted: false, reason: "self_trade" },
			{ eventType: "mint", priceNative: 0, imageUrl: "https://images.test/b.png" },
		]);
	});

	test("an amount in a currency without a rate is given raw, with its currency and no price", async () => {
		const contract = contractOf(0x104);
		await fixture.seed(ethereum, [saleOf(contract, { currency: STRANGE_COIN, totalRaw: 25n })]);
		const row = async () => (await ask(`/collections/${contract}/activity`)).body.data[0];
		expect(await row()).toMatchObject({
			priceNative: null,
			amountRaw: "25",
			settlementCurrency: { symbol: null, address: STRANGE_COIN, decimals: null },
		});
		await database.db.execute(
			"update market_index.currency set symbol = 'ODD', decimals = 6 where address = $1",
			[Buffer.from(STRANGE_COIN.slice(2), "hex")],
		);
		expect(await row()).toMatchObject({
			settlementCurrency: { symbol: "ODD", address: STRANGE_COIN, decimals: 6 },
		});
	});
});

describe("getCandles.200", () => {
	const BUSY = contractOf(0x100);
	const trades = randomTrades({ seed: 5, contracts: [BUSY], count: 600, days: 4 });
	const INTERVALS = {
		"1m": 60_000,
		"15m": 900_000,
		"30m": 1_800_000,
		"1h": 3_600_000,
		"4h": 14_400_000,
		"1d": 86_400_000,
	};

	let database: TestDatabase;
	let fixture: Fixture;
	let ask: (path: string) => Promise<Answer>;

	beforeAll(async () => {
		database = await createTestDatabase();
		fixture = createMarketFixture(database.db);
		// In two batches and not in order: what opens and closes must not depend on arrival.
		const [early, late] = [trades.slice(0, 250), trades.slice(250)];
		await fixture.seed(ethereum, late);
		await fixture.seed(ethereum, early.toReversed());
		ask = createAsk(fixture);
	});
	afterAll(() => database.drop());

	/** Candles straight from the events. */
	function candlesOf(events: readonly NewEvent[], ms: number) {
		const { sales } = countedSales(events);
		const groups = Map.groupBy(sales, ({ occurredAtMs }) => Math.floor(occurredAtMs / ms) * ms);
		return [...groups]
			.sort(([a], [b]) => a - b)
			.flatMap(([openMs, group]) => {
				const { priced } = countedSales(group);
				priced.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
				const prices = priced.map(({ totalRaw, quantity }) => eth((totalRaw ?? 0n) / quantity));
				if (prices.length === 0) return [];
				return {
					openTime: new Date(openMs).toISOString(),
					open: prices[0] ?? 0,
					high: Math.max(...prices),
					low: Math.min(...prices),
					close: prices.at(-1) ?? 0,
					volumeNative: volumeOf(priced),
					sales: group.length,
				};
			});
	}

	type Candle = ReturnType<typeof candlesOf>[number];

	function expectCandles(got: Candle[], expected: Candle[]) {
		expect(got.map(({ openTime, sales }) => [openTime, sales])).toEqual(
			expected.map(({ openTime, sales }) => [openTime, sales]),
		);
		for (const [index, candle] of got.entries()) {
			const wanted = expected[index];
			for (const key of ["open", "high", "low", "close", "volumeNative"] as const) {
				expect(candle[key]).toBeCloseTo(wanted?.[key] ?? Number.NaN, 9);
			}
		}
	}

	async function candles(
		query: string,
	): Promise<{ candles: Candle[]; page: { nextCursor: string | null; hasMore: boolean } }> {
		const { status, body } = await ask(`/collections/${BUSY}/candles?${query}`);
		expect(status).toBe(200);
		return body;
	}

	test("[API-08] [IDX-09] [IDX-10] every interval's candles are those of its accepted sales, newest last", async () => {
		for (const [interval, ms] of Object.entries(INTERVALS)) {
			const got = await candles(`interval=${interval}`);
			const expected = candlesOf(trades, ms);
			expect(expected.length).toBeLessThan(500);
			expectCandles(got.candles, expected);
			expect(got.page).toEqual({ nextCursor: null, hasMore: false });
		}
	});

	test("[API-08] [IDX-09] pages go backward by before or cursor, without gap or overlap", async () => {
		for (const [interval, ms] of Object.entries(INTERVALS)) {
			for (const parameter of ["before", "cursor"]) {
				let walked: Candle[] = [];
				let query = `interval=${interval}&limit=5`;
				for (;;) {
					const { candles: got, page } = await candles(query);
					expect(got.length).toBeLessThanOrEqual(5);
					walked = [...got, ...walked];
					expect(page.hasMore).toBe(page.nextCursor !== null);
					if (page.nextCursor === null) break;
					const place = parameter === "before" ? got[0]?.openTime : page.nextCursor;
					query = `interval=${interval}&limit=5&${parameter}=${place}`;
				}
				expectCandles(walked, candlesOf(trades, ms));
			}
		}
	});

	test("[IDX-09] a candle is returned whole even if `before` lies inside its interval", async () => {
		const expected = candlesOf(trades, INTERVALS["1h"]);
		const last = expected.at(-2);
		const before = new Date(Date.parse(last?.openTime ?? "") + 1).toISOString();
		const got = await candles(`interval=1h&limit=1&before=${before}`);
		expectCandles(got.candles, last ? [last] : []);
	});

	test("[IDX-09] an interval without a priced sale is left out, and an outlier is not", async () => {
		const contract = contractOf(0x101);
		const at = (minute: string) => Date.parse(`2026-03-01T${minute}:30.000Z`);
		await fixture.seed(ethereum, [
			saleOf(contract, { occurredAtMs: at("10:00"), totalRaw: ETH }),
			mintOf(contract, { occurredAtMs: at("11:00") }),
			saleOf(contract, { occurredAtMs: at("12:00"), accepted: false, reason: "self_trade" }),
			saleOf(contract, { occurredAtMs: at("13:00"), currency: STRANGE_COIN }),
			saleOf(contract, { occurredAtMs: at("14:00"), totalRaw: 9_000n * ETH }),
			saleOf(contract, { occurredAtMs: at("14:01"), currency: STRANGE_COIN }),
		]);
		for (const interval of ["1h", "30m"]) {
			const { body } = await ask(`/collections/${contract}/candles?interval=${interval}`);
			expect(body.candles).toMatchObject([
				{ openTime: "2026-03-01T10:00:00.000Z", open: 1, close: 1, sales: 1 },
				{ openTime: "2026-03-01T14:00:00.000Z", open: 9_000, high: 9_000, sales: 2 },
			]);
		}
	});

	test("[API-08] a collection without sales has no candles", async () => {
		const contract = contractOf(0x102);
		await fixture.seed(ethereum, [mintOf(contract)]);
		const { body } = await ask(`/collections/${contract}/candles`);
		expect(body).toEqual({ candles: [], coverage: {}, page: { nextCursor: null, hasMore: false } });
	});
});

describe("getSales.200", () => {
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

	test("[API-10] a point has image, token, rank, price, traits, seller and buyer", async () => {
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
				...{ chain: "ethereum", contractAddress: contract, slug: contract },
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
				explorerUrl: `https://etherscan.io/tx/${sale.transactionHash}`,
			},
		]);
	});

	test("[API-10] [IDX-10] the tiles are those of the day's accepted sales", async () => {
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

	test("[API-10] the median of an even number of sales is the mean of the two in the middle", async () => {
		const contract = contractOf(0x102);
		const prices = [1n, 9n, 2n, 4n].map((price) => saleOf(contract, { totalRaw: price * ETH }));
		await fixture.seed(ethereum, prices);
		expect((await tiles(contract)).values).toMatchObject({ medianPrice24h: 3 });
		await fixture.seed(ethereum, [saleOf(contract, { totalRaw: 3n * ETH })]);
		expect((await tiles(contract)).values).toMatchObject({ medianPrice24h: 3 });
	});

	test("[API-10] there are 13 tiles, and unknown ones are null without a time", async () => {
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

	test("[API-10] a figure of the provider has its own time", async () => {
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
		expect(values).toMatchObject({
			floor: 2,
			owners: 40,
			listed: 5,
			supply: 50,
			listedPercent: 10,
		});
		const times = { owners: 10, listed: 11, supply: 12, floor: 13, listedPercent: 11 };
		for (const [name, hour] of Object.entries(times)) {
			const tile = list.find(({ key }: { key: string }) => key === name);
			expect([name, tile.asOf]).toEqual([name, `2026-03-10T${hour}:00:00.000Z`]);
			expect(tile.source).toBe(name === "supply" ? "chain" : "provider");
		}
	});
});
