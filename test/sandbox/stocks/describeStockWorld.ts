// Describes the stock world: its addresses, pools and prices.

import {
	type Address,
	encodeAbiParameters,
	getCreate2Address,
	type Hex,
	keccak256,
	toHex,
	zeroAddress,
} from "viem";
import {
	type BadKind,
	badStocks,
	type Fee,
	feedAddress,
	type PoolPlan,
	type Priced,
	type Span,
	type StockPlan,
	settlementPools,
	spansOf,
	sqrtPriceX96,
	stockAddress,
	stockAddresses,
	stocks,
	TICK_SPACING,
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

export type Opening = {
	tokenA: Address;
	tokenB: Address;
	fee: Fee;
	sqrtPriceX96: bigint;
	spans: readonly Span[];
};

/** A V4 pool is identified by its key: another fee, spacing or hook is another pool. */
export type PoolKey = {
	currency0: Address;
	currency1: Address;
	/** In millionths. */
	fee: number;
	tickSpacing: number;
	hooks: Address;
};
export type V4Pool = { id: Hex; key: PoolKey; depthUsd: number };
export type V4Opening = {
	key: PoolKey;
	sqrtPriceX96: bigint;
	lower: number;
	upper: number;
	liquidity: bigint;
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

/** Hooks that keep this part of a swap's output, in basis points. */
export const hooks: readonly { address: Address; bps: number }[] = [
	{ address: hookAddress(1), bps: 3_000 },
	{ address: hookAddress(2), bps: 3_800 },
	{ address: hookAddress(3), bps: 9_500 },
];

const DECOYS = 900;
const FEES = 95;
const PERCENT = 10_000;
/** Of honest pools. */
const SPACING = 10;
const FEE = 500;
/** Every seventh decoy has a little liquidity as bait. */
const BAIT_EVERY = 7;
const BAIT_USD = 200;
const HONEST_USD = 40_000_000;
/** Prices of decoys, as shares of the true one. */
const LURES = [1, 0.5, 0.7, 1.4];
const keyParts = [
	{ type: "address" },
	{ type: "address" },
	{ type: "uint24" },
	{ type: "int24" },
	{ type: "address" },
] as const;

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

/** Returns honest V4 pools: without hooks, at 0.05 %, with liquidity. */
export function honestV4Pools(): V4Pool[] {
	const { stocks } = describeStockWorld();
	return stocks
		.filter(({ ticker }) => ticker === "AAPL" || ticker === "NVDA")
		.map((stock) => v4PoolOf(stock, { fee: FEE, tickSpacing: SPACING, hooks: zeroAddress }))
		.map((pool) => ({ ...pool, depthUsd: HONEST_USD }));
}

/**
 * Returns nine hundred decoys: fees of 1 to 95 %, most with hooks, at other prices, nearly empty.
 */
export function decoyPools(): V4Pool[] {
	const { stocks } = describeStockWorld();
	return Array.from({ length: DECOYS }, (_, n) => {
		const stock = stocks[n % stocks.length];
		if (!stock) throw new Error("no stocks");
		const hook = n % 5 === 0 ? zeroAddress : (hooks[n % hooks.length]?.address ?? zeroAddress);
		const terms = { fee: (1 + (n % FEES)) * PERCENT, tickSpacing: 1 + n, hooks: hook };
		return { ...v4PoolOf(stock, terms), depthUsd: n % BAIT_EVERY === 0 ? BAIT_USD : 0 };
	});
}

/** Returns how these pools are opened, at these prices or at their decoy price. */
export function v4OpeningsOf(
	pools: readonly V4Pool[],
	{ prices, isDecoy }: { prices: Prices; isDecoy: boolean },
): V4Opening[] {
	return pools.map(({ key, depthUsd }, n): V4Opening => {
		const lure = isDecoy ? (LURES[n % LURES.length] ?? 1) : 1;
		const sqrtX96 = v4PriceOf(key, prices, lure);
		const token1 = v4WorthOf(key.currency1, prices, lure);
		const [wide] = spansOf({ token1, sqrtX96, spacing: key.tickSpacing }, depthUsd);
		if (!wide) throw new Error("a pool without a span");
		return { key, sqrtPriceX96: sqrtX96, ...wide };
	});
}

/** Returns a pool's square root price at these prices of its tokens, times 2^96. */
export function v4PriceOf({ currency0, currency1 }: PoolKey, prices: Prices, lure = 1): bigint {
	return sqrtPriceX96(v4WorthOf(currency0, prices, lure), v4WorthOf(currency1, prices, lure));
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

function v4PoolOf(
	{ address }: Stock,
	terms: Pick<PoolKey, "fee" | "tickSpacing" | "hooks">,
): Omit<V4Pool, "depthUsd"> {
	const { usdg } = stockAddresses;
	const isFirst = address.toLowerCase() < usdg.toLowerCase();
	const [currency0, currency1] = isFirst ? [address, usdg] : [usdg, address];
	const key = { currency0, currency1, ...terms };
	const values = [currency0, currency1, key.fee, key.tickSpacing, key.hooks] as const;
	return { id: keccak256(encodeAbiParameters(keyParts, values)), key };
}

function v4WorthOf(token: Address, prices: Prices, lure: number) {
	if (token === stockAddresses.usdg) return { decimals: 6, usd: 100_000_000n };
	const { stocks } = describeStockWorld();
	const stock = stocks.find(({ address }) => address === token);
	const usd = prices[stock?.ticker ?? ""] ?? 0;
	return { decimals: 18, usd: BigInt(Math.round(usd * lure * 1e8)) };
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

/** Returns a hook's address, whose last fourteen bits allow it to change a swap's output. */
function hookAddress(n: number): Address {
	return `0x${((0x4663n << 144n) | (BigInt(n) << 16n) | 0x44n).toString(16).padStart(40, "0")}`;
}
