import { expect, test } from "bun:test";
import type { Prices } from "./describeStockWorld.ts";
import { createStockMarket, isMarketOpen, stockPrices } from "./stockMarket.ts";

const START_S = 1_800_000_000;

function openMarket() {
	const state = { nowS: START_S };
	const told: { prices: Prices; pools: boolean; feeds: readonly string[] }[] = [];
	const market = createStockMarket({
		seed: 7,
		nowMs: () => state.nowS * 1_000,
		world: {
			async moveMarket(prices, { pools = true, feeds = [] } = {}) {
				told.push({ prices, pools, feeds: typeof feeds === "boolean" ? [] : feeds });
			},
		},
	});
	return { state, told, market };
}

test("the same seed gives the same prices at a time, which stay near the catalogue's and move", () => {
	expect(stockPrices(7, START_S)).toEqual(stockPrices(7, START_S));
	expect(stockPrices(8, START_S)).not.toEqual(stockPrices(7, START_S));
	const hours = Array.from({ length: 48 }, (_, hour) => stockPrices(7, START_S + hour * 1_800));
	const apple = hours.map((prices) => prices["AAPL"] ?? 0);
	expect(new Set(apple).size).toBeGreaterThan(40);
	expect(Math.min(...apple)).toBeGreaterThan(275 * 0.96);
	expect(Math.max(...apple)).toBeLessThan(275 * 1.04);
});

test("the first tick moves every price; after it feeds move more often than pools", async () => {
	const { state, told, market } = openMarket();
	for (let second = 0; second <= 120; second += 10) {
		state.nowS = START_S + second;
		await market.tick();
	}
	expect(told.map(({ pools }) => pools)).toEqual([true, false, true, false, true]);
	expect(told.map(({ feeds }) => feeds.includes("ETH"))).toEqual([
		...[true, false, false, false, false],
	]);
	expect(told.every(({ feeds }) => feeds.includes("TSLA"))).toBe(true);
	expect(told[0]?.prices).toEqual(stockPrices(7, START_S));
});

test("while the market is closed stock feeds and pools do not change; ether and USDG continue", async () => {
	const { state, told, market } = openMarket();
	state.nowS = START_S + 3_100;
	expect(isMarketOpen(3_100)).toBe(false);
	await market.tick();
	expect(told.map(({ pools, feeds }) => [pools, feeds])).toEqual([[false, ["ETH", "USDG"]]]);
	state.nowS = START_S + 3_650;
	await market.tick();
	expect(told.at(-1)?.pools).toBe(true);
	expect(told.at(-1)?.feeds).toContain("TSLA");
});
