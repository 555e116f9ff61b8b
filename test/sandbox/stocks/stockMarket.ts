// Moves prices and feeds of the stock world with time.

import { type Address, isAddress } from "viem";
import { z } from "zod";
import { usdAnswer } from "../feeds.ts";
import { cataloguePrices, type Prices } from "./describeStockWorld.ts";
import type { StockWorld } from "./openStockWorld.ts";

export type StockMarket = {
	/** Does what is due: rounds of the feeds, and moving pools to the price. */
	tick(): Promise<void>;
};

export type StockMarketOptions = {
	world: Pick<StockWorld, "moveMarket">;
	seed: number;
	nowMs(): number;
};

type TokenHand = Exclude<Hand, { do: "move" | "feed" | "feed_dead" | "give" | "drain" }>;

/** How far a stock deviates from its catalogue price, as a share, and the period of that wave. */
const SWING = 0.03;
const TURN_S = 86_400;
const OPEN_S = 3_000;
const CLOSED_S = 600;

/** Stock feeds that are silent for longer are stale; those of currencies after an hour. */
const STOCKS_EVERY_S = 30;
const CURRENCIES_EVERY_S = 300;
/** Anvil keeps the trace of each transaction, and those of pools are long. */
const POOLS_EVERY_S = 60;
const FULL_PACE_S = 3_600;
const SLOW_FACTOR = 10;
const CURRENCIES = ["ETH", "USDG"];

const ticker = z.string().min(1).max(16);
const address = z.custom<Address>((value) => typeof value === "string" && isAddress(value));
const units = z
	.string()
	.regex(/^-?\d{1,78}$/)
	.transform(BigInt);

/** One change of the stock world, as `POST /_sandbox/world` takes it. */
export const Hand = z.discriminatedUnion("do", [
	z.object({ do: z.literal("move"), prices: z.record(z.string(), z.number().positive()) }),
	z.object({
		do: z.literal("feed"),
		name: ticker,
		answer: units,
		updatedAtS: z.int().min(1).optional(),
	}),
	z.object({ do: z.literal("feed_dead"), name: ticker, is: z.boolean() }),
	/** All pools of a stock. */
	z.object({ do: z.literal("drain"), ticker, keepBps: z.int().min(0).max(10_000).default(0) }),
	z.object({ do: z.literal("pause"), ticker, is: z.boolean() }),
	z.object({ do: z.literal("block"), ticker, account: address, is: z.boolean() }),
	z.object({ do: z.literal("tax"), ticker, bps: z.int().min(0).max(10_000) }),
	z.object({ do: z.literal("rebase"), ticker, index: units }),
	z.object({
		do: z.literal("multiplier"),
		ticker,
		multiplier: units,
		atS: z.int().min(1).optional(),
	}),
	z.object({ do: z.literal("oracle_paused"), ticker, is: z.boolean() }),
	z.object({ do: z.literal("give"), token: ticker, to: address, raw: units }),
]);
export type Hand = z.output<typeof Hand>;

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

/** Applies a change; throws for an unknown ticker or feed. */
export async function lendHand(world: StockWorld, hand: Hand): Promise<void> {
	switch (hand.do) {
		case "move":
			return await world.moveMarket(hand.prices);
		case "feed":
			return await world.setFeed(hand.name, hand.answer, hand.updatedAtS);
		case "feed_dead":
			return await world.setFeedDead(hand.name, hand.is);
		case "give":
			return await world.give(tokenOf(world, hand.token), hand.to, hand.raw);
		case "drain":
			for (const pool of world.stock(hand.ticker).pools) await world.drain(pool, hand.keepBps);
			return;
		default:
			return await handle(world, hand);
	}
}

function tokenOf({ addresses, stock }: StockWorld, name: string): Address {
	if (name === "USDG") return addresses.usdg;
	return name === "WETH" ? addresses.weth : stock(name).address;
}

async function handle(world: StockWorld, hand: TokenHand): Promise<void> {
	const { address: token } = world.stock(hand.ticker);
	switch (hand.do) {
		case "pause":
			return await world.setPaused(token, hand.is);
		case "block":
			return await world.setBlocked(token, hand.account, hand.is);
		case "tax":
			return await world.setTransferFee(token, hand.bps);
		case "rebase":
			return await world.rebase(token, hand.index);
		case "multiplier":
			return await world.setMultiplier(token, hand.multiplier, hand.atS);
		case "oracle_paused":
			return await world.setOraclePaused(token, hand.is);
	}
}
