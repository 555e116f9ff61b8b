import { type Address, parseUnits } from "viem";
import type { StockWorld } from "./openStockWorld.ts";

/** The settings of a service for the stock world, except its chain's URL. */
export type StockSettings = {
	/** TRADE_POOLS_JSON */
	pools: { address: string; tokens: [string, string]; fee: number }[];
	/** TRADE_V4_POOLS_JSON */
	v4Pools: { tokens: [string, string]; fee: number; tickSpacing: number }[];
	/** STOCK_FEEDS_JSON: feeds by token. */
	feeds: Record<string, string>;
};

type Place = Pick<StockWorld, "pools" | "v4" | "stocks" | "addresses" | "feeds">;

const HEARTBEAT_SECONDS = 3_600;

/** Returns the configured pools, including those of bad tokens, and the feeds of stocks. */
export function stockSettings({ pools, v4, stocks }: Place): StockSettings {
	const configured = pools.map(({ address, token0, token1, fee }) => {
		const tokens: [string, string] = [token0.toLowerCase(), token1.toLowerCase()];
		return { address: address.toLowerCase(), tokens, fee };
	});
	const feeds = stocks.flatMap(({ address, feed }) =>
		feed ? [[address.toLowerCase(), feed.toLowerCase()]] : [],
	);
	const v4Pools = v4.pools.map(({ key: { currency0, currency1, fee, tickSpacing } }) => {
		const tokens: [string, string] = [currency0.toLowerCase(), currency1.toLowerCase()];
		return { tokens, fee, tickSpacing };
	});
	return { pools: configured, v4Pools, feeds: Object.fromEntries(feeds) };
}

/**
 * Returns the home chain's part of `USD_FEEDS_JSON`. Without ether: of several feeds the one on the
 * lowest chain id is used, and the market's chain has the history of its rates.
 */
export function homeFeeds({ addresses, feeds }: Place): Record<string, unknown> {
	const { USDG: feed } = feeds;
	const usdg = { feed, heartbeatSeconds: HEARTBEAT_SECONDS, symbol: "USDG" };
	return { 4663: { [addresses.usdg]: usdg } };
}

/** Gives users currencies to trade with and stocks to sell. */
export async function handOut(
	{ addresses, stock, give }: Pick<StockWorld, "addresses" | "stock" | "give">,
	people: readonly Address[],
): Promise<void> {
	const { usdg, weth } = addresses;
	const gifts: [Address, bigint][] = [
		[usdg, parseUnits("20000", 6)],
		[weth, parseUnits("5", 18)],
		[stock("AAPL").address, parseUnits("12", 18)],
		[stock("TSLA").address, parseUnits("4", 18)],
		[stock("GME").address, parseUnits("30", 18)],
	];
	for (const to of people) for (const [token, raw] of gifts) await give(token, to, raw);
}
