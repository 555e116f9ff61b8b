import { TAPE_USD } from "./describeEconomy.ts";
import type { Economy } from "./openEconomy.ts";

export type Revenue = {
	/** Pays what is due, and moves the token's price with time. */
	tick(): Promise<void>;
};

export type RevenueOptions = {
	economy: Pick<Economy, "payCoins" | "payDollars" | "movePrice">;
	/** Dollars of one ether at a time. */
	ethUsdAt(timeS: number): number;
	nowMs(): number;
};

const COINS_EVERY_S = 20;
const COINS_WEI = 20_000_000_000_000_000n;
const DOLLARS_EVERY_S = 60;
const DOLLARS_UNITS = 50_000_000n;
const PRICE_EVERY_S = 60;
/** Anvil keeps the trace of each transaction. */
const FULL_PACE_S = 3_600;
const SLOW_FACTOR = 10;
/** How far the token strays from its price, as a share, and how long a turn takes. */
const SWING = 0.02;
const TURN_S = 14_400;

/**
 * Pays small revenue: coins from a marketplace, USDG from trading. The first tick pays and moves
 * everything.
 */
export function createRevenue({ economy, ethUsdAt, nowMs }: RevenueOptions): Revenue {
	const startS = Math.floor(nowMs() / 1_000);
	const doneAtS = { coins: -Infinity, dollars: -Infinity, price: -Infinity };
	return {
		async tick() {
			const atS = Math.floor(nowMs() / 1_000);
			const pace = atS - startS > FULL_PACE_S ? SLOW_FACTOR : 1;
			const isDue = (what: keyof typeof doneAtS, everyS: number): boolean => {
				if (atS - doneAtS[what] < everyS * pace) return false;
				doneAtS[what] = atS;
				return true;
			};
			if (isDue("coins", COINS_EVERY_S)) await economy.payCoins("marketplace", COINS_WEI);
			if (isDue("dollars", DOLLARS_EVERY_S)) await economy.payDollars("trading", DOLLARS_UNITS);
			if (isDue("price", PRICE_EVERY_S)) {
				await economy.movePrice({ tape: tapeUsdAt(atS), eth: ethUsdAt(atS) });
			}
		},
	};
}

/** Returns the dollars of one token: the same at a time in each sandbox. */
export function tapeUsdAt(timeS: number): number {
	return TAPE_USD * (1 + SWING * Math.sin((2 * Math.PI * timeS) / TURN_S));
}
