import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Address } from "#core/chain/Hex.ts";
import { HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { tradeFault } from "#plugins/trading/faults.ts";
import {
	marketEth,
	marketUsdg,
	openPriceLab,
	type PriceLab,
} from "#plugins/trading/testing/openPriceLab.ts";
import { type MarketToken, poolAt } from "#plugins/trading/testing/priceMarket.ts";
import { createTestDatabase, type TestDatabase } from "#test/harness/testDatabase.ts";
import { createPrng } from "#test/sandbox/createPrng.ts";

// Guarantee: with feeds for 40 of 200 stocks, most of those that have pools with money in them are
// traded without a question on an ordinary day, and none of the others is traded without one.

const STOCKS = 200;
const WITH_FEED = 40;
/** A Wednesday at noon in New York. */
const WEEKDAY = Date.parse("2026-11-18T17:00:00Z");

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database?.drop());

type Listed = { symbol: string; token: MarketToken; feed: Address | null; depthUsd: number };

const hex = (prefix: string, index: number): Address =>
	`0x${prefix}${index.toString(16).padStart(40 - prefix.length, "0")}`;

/**
 * Makes the 200: the forty best known have feeds and deep pools; of the others one in ten has no
 * pool, one in ten a pool of a few dollars, and the rest from $5,000 to $500,000. A third are
 * traded for WETH only. Pools keep one observation, as pools do that nobody enlarged, but one of
 * twelve.
 */
async function listStocks(lab: PriceLab): Promise<Listed[]> {
	const prng = createPrng(44);
	const stocks = Array.from({ length: STOCKS }, (_, index): Listed => {
		const token = { address: hex("a", index + 1), decimals: 18, usd: 5 + prng.int(600) };
		const feed = index < WITH_FEED ? hex("f", index + 1) : null;
		const thin = index % 10 === 4 ? 0 : index % 10 === 7 ? 3 : null;
		const deep = Math.round(5_000 * 100 ** prng.next());
		const depthUsd = feed ? 500_000 : (thin ?? deep);
		return { symbol: `S${index}`, token, feed, depthUsd };
	});
	const { market, clock } = lab;
	// Positions reach a fifth from the price; the pool is as deep there as if it held eleven times as
	// much at any price.
	const narrow = 11;
	const put = (pool: ReturnType<typeof poolAt>) => market.pools.set(pool.address, pool);
	const settled = { one: marketEth, other: marketUsdg, fee: 500, depthUsd: 4_000_000, narrow };
	put(poolAt(hex("b", 1), settled));
	for (const [index, { token, feed, depthUsd }] of stocks.entries()) {
		if (depthUsd === 0) continue;
		const other = index % 3 === 2 ? marketEth : marketUsdg;
		const skew = 1 + prng.gauss() * 0.003;
		put(poolAt(hex("c", index + 1), { one: token, other, fee: 3_000, depthUsd, skew, narrow }));
		if (feed) {
			const updatedAtMs = clock.ms - prng.int(2 * HOUR_MS);
			market.feeds.set(feed, { usd: token.usd, updatedAtMs, isDead: false });
		}
	}
	await lab.register(stocks);
	return stocks;
}

/** Wishes to buy and to sell $50 of each; returns how each ended. */
async function askAll(lab: PriceLab, stocks: readonly Listed[]) {
	const ways = new Map<string, string>();
	for (const { symbol, token } of stocks) {
		const quantity = (50 / token.usd).toFixed(6);
		const settlement = "USDG";
		const outcomes = await Promise.all([
			lab.assess({ kind: "buy_with", asset: symbol, spend: "50", settlement }),
			lab.assess({ kind: "sell", asset: symbol, quantity, unit: "tokens", settlement }),
		]);
		const words = outcomes.map(({ outcome }) => {
			if (outcome.kind === "swap") return outcome.terms.quoted.price?.kind ?? "none";
			return outcome.kind === "refused" ? outcome.denial.code : outcome.kind;
		});
		ways.set(symbol, [...new Set(words)].join("/"));
	}
	return ways;
}

function countsOf(ways: ReadonlyMap<string, string>): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const way of ways.values()) counts[way] = (counts[way] ?? 0) + 1;
	return counts;
}

test("on a weekday 168 of 200 stocks can be traded at once: each with money in a pool", async () => {
	const noRoute = async () => Promise.reject(tradeFault.routerRefused());
	const lab = openPriceLab({
		...{ db: database.db, nowMs: WEEKDAY, second: { name: "hosted", ask: noRoute } },
	});
	const stocks = await listStocks(lab);
	await lab.record(31, 0);
	const ways = await askAll(lab, stocks);
	expect(countsOf(ways)).toEqual({ yes: 168, no_route: 16, price_impact: 16 });
	for (const { symbol, feed, depthUsd } of stocks) {
		const expected =
			feed || depthUsd >= 5_000 ? "yes" : depthUsd === 0 ? "no_route" : "price_impact";
		expect({ symbol, way: ways.get(symbol) }).toEqual({ symbol, way: expected });
	}
});

test("ten minutes after a start, stocks without a feed are bought with a confirmation, and not sold", async () => {
	const lab = openPriceLab({ db: database.db, nowMs: WEEKDAY });
	const stocks = await listStocks(lab);
	await lab.record(10, 0);
	expect(countsOf(await askAll(lab, stocks))).toEqual({
		...{ yes: 40, "ask/price_unknown": 128, no_route: 16, price_impact: 16 },
	});
	// Half an hour of the record is all that it takes.
	lab.clock.ms += 22 * MINUTE_MS;
	await lab.record(21, 0);
	expect(countsOf(await askAll(lab, stocks))["yes"]).toBe(168);
});

test("with a silent second source stocks with a feed do not wait, and each other one asks", async () => {
	const silent = async () => Promise.reject(tradeFault.routerUnavailable());
	const lab = openPriceLab({
		...{ db: database.db, nowMs: WEEKDAY, second: { name: "hosted", ask: silent } },
	});
	const stocks = await listStocks(lab);
	await lab.record(31, 0);
	expect(countsOf(await askAll(lab, stocks))).toEqual({
		...{ yes: 40, ask: 128, quote_unavailable: 16, price_impact: 16 },
	});
});
