import type { StockWorld } from "../openStockWorld.ts";
import { isMarketOpen, stockPrices } from "./stockPrices.ts";

export type StockMarket = {
	/** Does what is due: rounds of the feeds, and moving pools to the price. */
	tick(): Promise<void>;
};

export type StockMarketOptions = {
	world: Pick<StockWorld, "moveMarket">;
	seed: number;
	nowMs(): number;
};

/** Stock feeds that are silent for longer are stale; those of currencies after an hour. */
const STOCKS_EVERY_S = 30;
const CURRENCIES_EVERY_S = 300;
/** Anvil keeps the trace of each transaction, and those of pools are long. */
const POOLS_EVERY_S = 60;
const FULL_PACE_S = 3_600;
const SLOW_FACTOR = 10;
const CURRENCIES = ["ETH", "USDG"];

/**
 * Makes the mover of the stock world. While the market is closed, stock feeds are silent and pools
 * stay; ether and USDG have no hours. The first tick moves everything.
 */
export function createStockMarket({ world, seed, nowMs }: StockMarketOptions): StockMarket {
	const startS = Math.floor(nowMs() / 1_000);
	const doneAtS = { stocks: -Infinity, currencies: -Infinity, pools: -Infinity };
	return {
		async tick() {
			const atS = Math.floor(nowMs() / 1_000);
			const isOpen = isMarketOpen(atS - startS);
			const pace = atS - startS > FULL_PACE_S ? SLOW_FACTOR : 1;
			const isDue = (what: keyof typeof doneAtS, everyS: number): boolean => {
				if (atS - doneAtS[what] < everyS) return false;
				doneAtS[what] = atS;
				return true;
			};
			const prices = stockPrices(seed, atS);
			const stocks = Object.keys(prices).filter((name) => !CURRENCIES.includes(name));
			const feeds = [
				...(isDue("currencies", CURRENCIES_EVERY_S) ? CURRENCIES : []),
				...(isOpen && isDue("stocks", STOCKS_EVERY_S) ? stocks : []),
			];
			const pools = isOpen && isDue("pools", POOLS_EVERY_S * pace);
			if (feeds.length > 0 || pools) await world.moveMarket(prices, { feeds, pools });
		},
	};
}
