import {
	type Address,
	encodeAbiParameters,
	getCreate2Address,
	type Hex,
	keccak256,
	toHex,
} from "viem";
import { type Priced, type Span, spansOf, sqrtPriceX96, TICK_SPACING } from "./poolMath.ts";
import { feedAddress, stockAddress, stockAddresses } from "./stockAddresses.ts";
import {
	type BadKind,
	badStocks,
	type Fee,
	type PoolPlan,
	type StockPlan,
	settlementPools,
	stocks,
} from "./stockCatalogue.ts";

export type Pool = { address: Address; token0: Address; token1: Address; fee: Fee };
export type Stock = Omit<StockPlan, "pools"> & {
	/** The issuer's own id of it. */
	uid: Hex;
	address: Address;
	feed: Address | null;
	pools: readonly Pool[];
};
/**
 * Prices of one token in dollars: `ETH`, `USDG`, or a stock's ticker (the token, not the share).
 */
export type Prices = Record<string, number>;

/** Everything of the stock world that is known without reading its chain. */
export type StockPlace = {
	stocks: readonly Stock[];
	bad: Record<BadKind, Stock>;
	/** All V3 pools, including those of bad tokens. */
	pools: readonly Pool[];
	/** By `ETH`, `USDG` and ticker. */
	feeds: Record<string, Address>;
};

const POOL_CODE_HASH = "0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54";
const ETH_USD = 2_500;
const { weth, usdg, factory } = stockAddresses;

/** The order in which feeds are deployed. */
export const feedNames: readonly string[] = [
	"ETH",
	"USDG",
	...stocks.filter(({ hasFeed }) => hasFeed).map(({ ticker }) => ticker),
];

const badKinds = Object.keys(badStocks) as BadKind[];
/** The order in which stocks are deployed: the good ones first. */
export const deployedStocks: readonly Stock[] = [
	...stocks,
	...badKinds.map((kind) => badStocks[kind]),
].map((plan, index) => describeStock(plan, index));

/** Returns all addresses of the stock world; they are the same in each. */
export function describeStockWorld(): StockPlace {
	const good = deployedStocks.slice(0, stocks.length);
	const bad = deployedStocks.slice(stocks.length);
	const byKind = badKinds.map((kind, index) => [kind, bad[index]]);
	return {
		stocks: good,
		bad: Object.fromEntries(byKind) as Record<BadKind, Stock>,
		pools: [
			...settlementPools.map(({ fee }) => poolOf(weth, usdg, fee)),
			...deployedStocks.flatMap(({ pools }) => pools),
		],
		feeds: Object.fromEntries(feedNames.map((name, index) => [name, feedAddress(index)])),
	};
}

/** Returns the catalogue's prices: a token's price is its share's times its multiplier. */
export function cataloguePrices(): Prices {
	const tokens = stocks.map(({ ticker, shareUsd, multiplier }) => {
		return [ticker, shareUsd * (Number(multiplier) / 1e18)];
	});
	return { ETH: ETH_USD, USDG: 1, ...Object.fromEntries(tokens) };
}

export type Opening = {
	tokenA: Address;
	tokenB: Address;
	fee: Fee;
	sqrtPriceX96: bigint;
	spans: readonly Span[];
};

/** Returns how each pool is opened at these prices, in the order of `pools`. */
export function openingsOf(prices: Prices): Opening[] {
	const open = (token: Address, plan: PoolPlan): Opening => {
		const pool = poolOf(token, plan.with === "weth" ? weth : usdg, plan.fee);
		const sqrtX96 = priceOf(pool, prices);
		const token1 = worthOf(pool.token1, prices);
		const spans = spansOf({ token1, sqrtX96, spacing: TICK_SPACING[plan.fee] }, plan.depthUsd);
		const { token0: tokenA, token1: tokenB, fee } = pool;
		return { tokenA, tokenB, fee, sqrtPriceX96: sqrtX96, spans };
	};
	return [
		...settlementPools.map((plan) => open(weth, plan)),
		...deployedStocks.flatMap(({ address }, index) =>
			planOf(index).pools.map((plan) => open(address, plan)),
		),
	];
}

/** Returns a pool's square root price at these prices of its tokens, times 2^96. */
export function priceOf({ token0, token1 }: Pool, prices: Prices): bigint {
	return sqrtPriceX96(worthOf(token0, prices), worthOf(token1, prices));
}

/** Returns a token's price; bad tokens always have the catalogue's. */
function worthOf(token: Address, prices: Prices): Priced {
	const inUnits = (usd: number): bigint => BigInt(Math.round(usd * 1e8));
	if (token === weth) return { decimals: 18, usd: inUnits(prices["ETH"] ?? ETH_USD) };
	if (token === usdg) return { decimals: 6, usd: inUnits(prices["USDG"] ?? 1) };
	const index = deployedStocks.findIndex(({ address }) => address === token);
	const { decimals, ticker, shareUsd, multiplier } = planOf(index);
	const own = shareUsd * (Number(multiplier) / 1e18);
	return { decimals, usd: inUnits(index < stocks.length ? (prices[ticker] ?? own) : own) };
}

function planOf(index: number): StockPlan {
	const kind = badKinds[index - stocks.length];
	const plan = stocks[index] ?? (kind && badStocks[kind]);
	if (!plan) throw new Error(`no stock is deployed as number ${index}`);
	return plan;
}

function describeStock(plan: StockPlan, index: number): Stock {
	const address = stockAddress(index);
	const feedIndex = index < stocks.length && plan.hasFeed ? feedNames.indexOf(plan.ticker) : -1;
	return {
		...plan,
		uid: keccak256(toHex(`stock ${index} ${plan.ticker}`)),
		address,
		feed: feedIndex < 0 ? null : feedAddress(feedIndex),
		pools: plan.pools.map((pool) => poolOf(address, pool.with === "weth" ? weth : usdg, pool.fee)),
	};
}

/** Returns the pool of a pair and a fee, with its address. */
export function poolOf(tokenA: Address, tokenB: Address, fee: Fee): Pool {
	const [token0, token1] =
		tokenA.toLowerCase() < tokenB.toLowerCase() ? [tokenA, tokenB] : [tokenB, tokenA];
	const parts = [{ type: "address" }, { type: "address" }, { type: "uint24" }] as const;
	const salt = keccak256(encodeAbiParameters(parts, [token0, token1, fee]));
	const address = getCreate2Address({ from: factory, salt, bytecodeHash: POOL_CODE_HASH });
	return { address, token0, token1, fee };
}
