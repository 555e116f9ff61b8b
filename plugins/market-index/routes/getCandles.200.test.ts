import { afterAll, beforeAll, expect, test } from "bun:test";
import type { NewEvent } from "#plugins/market-index/contract.ts";
import { type Answer, createAsk } from "#plugins/market-index/testing/createAsk.ts";
import {
	contractOf,
	createMarketFixture,
	ETH,
	ethereum,
	type Fixture,
	mintOf,
	saleOf,
} from "#plugins/market-index/testing/marketFixture.ts";
import {
	countedSales,
	eth,
	randomTrades,
	STRANGE_COIN,
	volumeOf,
} from "#plugins/market-index/testing/randomTrades.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";

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

test("[API-08] [IDX-09] pages walk backward by before or cursor and meet without gap or overlap", async () => {
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

test("[IDX-09] before inside an interval still tells that interval whole", async () => {
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
