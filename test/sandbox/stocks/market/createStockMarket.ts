import type { Prices } from "../describeStockWorld.ts";
import type { StockWorld } from "../openStockWorld.ts";
import { isMarketOpen, stockPrices } from "./stockPrices.ts";

export type StockMarket = {
	/** Does what is due: rounds of the feeds, and pools that follow the price. */
	tick(): Promise<void>;
};

export type StockMarketOptions = {
	world: Pick<StockWorld, "moveMarket" | "feeds">;
	seed: number;
	nowMs(): number;
};

/** Feeds that are silent for longer are stale; anvil keeps the trace of each transaction. */
const ROUNDS_EVERY_S = 30;
const POOLS_EVERY_S = 60;
const FULL_PACE_S = 3_600;
const SLOW_FACTOR = 10;

/**
 * Moves the stock world with time. While the market is closed the feeds of stocks say nothing and
 * pools stand still; ether and USDG know no hours. The first tick moves everything.
 */
export function createStockMarket({ world, seed, nowMs }: StockMarketOptions): StockMarket {
	const nowS = (): number => Math.floor(nowMs() / 1_000);
	const startS = nowS();
	let roundsAtS = Number.NEGATIVE_INFINITY;
	let poolsAtS = Number.NEGATIVE_INFINITY;
	return {
		async tick() {
			const atS = nowS();
			if (atS - roundsAtS < ROUNDS_EVERY_S) return;
			const isOpen = isMarketOpen(atS - startS);
			const pace = atS - startS > FULL_PACE_S ? SLOW_FACTOR : 1;
			const movesPools = isOpen && atS - poolsAtS >= POOLS_EVERY_S * pace;
			const prices = stockPrices(seed, atS);
			const told = isOpen ? prices : currenciesOf(prices);
			roundsAtS = atS;
			if (movesPools) poolsAtS = atS;
			await world.moveMarket(told, { pools: movesPools });
		},
	};
}

function currenciesOf(prices: Prices): Prices {
	return Object.fromEntries(Object.entries(prices).filter(([name]) => /^(ETH|USDG)$/.test(name)));
}
