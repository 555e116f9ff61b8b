import { usdAnswer } from "../../feeds/usdAnswer.ts";
import { cataloguePrices, type Prices } from "../describeStockWorld.ts";

/** How far a stock deviates from its catalogue price, as a share, and the period of that wave. */
const SWING = 0.03;
const TURN_S = 86_400;
const OPEN_S = 3_000;
const CLOSED_S = 600;

/**
 * Returns the prices of tokens at a time. They are the same after every restart, so nothing must be
 * stored; ether has the price of the market's own chain.
 */
export function stockPrices(seed: number, timeS: number): Prices {
	const moved = Object.entries(cataloguePrices()).map(([name, usd], index) => {
		const turn = 2 * Math.PI * (timeS / TURN_S + (((seed + 1) * (index + 1) * 0.618) % 1));
		const wave = (Math.sin(turn) + Math.sin(turn * 5.7) / 3) / 1.34;
		return [name, usd * (1 + SWING * wave)];
	});
	const steady = { ETH: Number(usdAnswer("eth", timeS)) / 1e8, USDG: 1 };
	return { ...Object.fromEntries(moved), ...steady };
}

/** Returns whether the stocks' market is open: fifty minutes of each hour since the start. */
export function isMarketOpen(sinceS: number): boolean {
	return sinceS % (OPEN_S + CLOSED_S) < OPEN_S;
}
