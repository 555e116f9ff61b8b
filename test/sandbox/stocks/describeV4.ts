import { type Address, encodeAbiParameters, type Hex, keccak256, zeroAddress } from "viem";
import { describeStockWorld, type Prices, type Stock } from "./describeStockWorld.ts";
import { spansOf, sqrtPriceX96 } from "./poolMath.ts";
import { stockAddresses } from "./stockAddresses.ts";

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

/** Returns honest V4 pools: without hooks, at 0.05 %, with liquidity. */
export function honestV4Pools(): V4Pool[] {
	const { stocks } = describeStockWorld();
	return stocks
		.filter(({ ticker }) => ticker === "AAPL" || ticker === "NVDA")
		.map((stock) => poolOf(stock, { fee: FEE, tickSpacing: SPACING, hooks: zeroAddress }))
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
		return { ...poolOf(stock, terms), depthUsd: n % BAIT_EVERY === 0 ? BAIT_USD : 0 };
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
		const token1 = worthOf(key.currency1, prices, lure);
		const [wide] = spansOf({ token1, sqrtX96, spacing: key.tickSpacing }, depthUsd);
		if (!wide) throw new Error("a pool without a span");
		return { key, sqrtPriceX96: sqrtX96, ...wide };
	});
}

/** Returns a pool's square root price at these prices of its tokens, times 2^96. */
export function v4PriceOf({ currency0, currency1 }: PoolKey, prices: Prices, lure = 1): bigint {
	return sqrtPriceX96(worthOf(currency0, prices, lure), worthOf(currency1, prices, lure));
}

function worthOf(token: Address, prices: Prices, lure: number) {
	if (token === stockAddresses.usdg) return { decimals: 6, usd: 100_000_000n };
	const { stocks } = describeStockWorld();
	const stock = stocks.find(({ address }) => address === token);
	const usd = prices[stock?.ticker ?? ""] ?? 0;
	return { decimals: 18, usd: BigInt(Math.round(usd * lure * 1e8)) };
}

function poolOf(
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

/** Returns a hook's address, whose last fourteen bits allow it to change a swap's output. */
function hookAddress(n: number): Address {
	return `0x${((0x4663n << 144n) | (BigInt(n) << 16n) | 0x44n).toString(16).padStart(40, "0")}`;
}
