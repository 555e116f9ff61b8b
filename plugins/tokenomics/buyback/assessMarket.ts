// Reads the pools of a pair, and decides what an amount buys and whether the market is fit for it.

import { decodeFunctionResult, encodeFunctionData } from "viem";
import { type Address, isAddress, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import {
	BPS,
	type BuybackDeps,
	type Refusal,
	refusal,
} from "#plugins/tokenomics/buyback/buybackConfig.ts";
import {
	depthOf,
	gapBps,
	least,
	lessBps,
	outAtPrice,
	outInRange,
	type Priced,
	priceGapBps,
	sqrtRatioAtTick,
} from "#plugins/tokenomics/buyback/poolMath.ts";
import { decoded, v3Abi, viewCall } from "#plugins/tokenomics/contracts/abi.ts";

/** Holds a possible purchase, within every bound. */
export type Purchase = {
	pool: Address;
	fee: number;
	spendRaw: bigint;
	/** The least that is burned: below it the transaction changes nothing. */
	minBurnedRaw: bigint;
	/** The amount that is bought, by the quoter. */
	quotedRaw: bigint;
	/** The value of the quoted amount at the average price, in the currency that is paid with. */
	worthRaw: bigint;
	deviationBps: bigint;
	impactBps: bigint;
	quotesBps: bigint;
};

type Deps = Pick<BuybackDeps, "rpc" | "quoter" | "bounds">;

/** Holds a pool through which the token may be bought, with its current and its average price. */
export type MarketPool = {
	address: Address;
	fee: number;
	/** The price now. */
	spot: Priced;
	/** The price on average over the time that is configured. */
	mean: Priced;
	/** The less of what it holds now and held on average: what was put in just now does not count. */
	liquidity: bigint;
	/** Holds the pool's liquidity as it is now, which a swap meets. */
	liquidityNow: bigint;
};

/** The currency that is paid with as pools know it, and the token. */
export type Pair = { tokenIn: Address; token: Address };

type Slot0 = readonly [
	sqrtPriceX96: bigint,
	tick: number,
	index: number,
	cardinality: number,
	...unknown[],
];

const abi = v3Abi;
/** Counts the observations that a pool keeps by default. */
const OBSERVATIONS_UNASKED = 1;

/**
 * Returns what an amount of a currency buys, or why it is not spent. The pool is the deepest of
 * those configured. The least amount to burn is computed twice, by the quote and by the
 * time-weighted price, and the greater counts: if a price is manipulated in the same block, the
 * purchase fails, and does not become dear.
 *
 * `exact: false` takes less where the pool cannot bear all.
 */
export async function assessMarket(
	deps: Deps,
	asked: {
		paidWith: Address;
		token: Address;
		spendRaw: bigint;
		exact: boolean;
		signal: AbortSignal;
	},
): Promise<Purchase | Refusal> {
	const { paidWith, token, signal } = asked;
	const { bounds } = deps;
	const venue = await readVenue(deps, signal);
	if ("code" in venue) return venue;
	const { factory, wrapped } = venue;
	const pair: Pair = { tokenIn: paidWith === ZERO_ADDRESS ? wrapped : paidWith, token };
	if (pair.tokenIn === token) return refusal("no_pool", "It is the token itself.");
	const pools = await readPools(deps, { pair, factory, signal });
	if ("code" in pools) return pools;
	const [first, ...others] = pools;
	if (!first) return refusal("no_pool");
	const pool = others.reduce((best, one) => (one.liquidity > best.liquidity ? one : best), first);
	const depth = depthOf({ ...pool.spot, liquidity: pool.liquidity });
	const mostRaw = (depth * bounds.depthBps) / BPS;
	if (asked.exact && asked.spendRaw > mostRaw) return refusal("pool_thin");
	const spendRaw = least(asked.spendRaw, mostRaw);
	if (spendRaw === 0n) return refusal("pool_empty");
	const deviationBps = priceGapBps(pool.spot.sqrtPriceX96, pool.mean.sqrtPriceX96);
	if (deviationBps > bounds.deviationBps) {
		return refusal("price_moved", `It is ${deviationBps} basis points away.`);
	}
	const quotedRaw = await quote(deps, { pair, pool, spendRaw, signal });
	if (!quotedRaw) return refusal("pool_empty", "Its quoter finds nothing to buy.");
	return judge(deps, { pool, spendRaw, quotedRaw, deviationBps });
}

async function quote(
	{ rpc, quoter }: Deps,
	of: { pair: Pair; pool: MarketPool; spendRaw: bigint; signal: AbortSignal },
): Promise<bigint | null> {
	const { pair, pool, spendRaw: amountIn, signal } = of;
	const params = { tokenIn: pair.tokenIn, tokenOut: pair.token, amountIn, fee: pool.fee };
	const ask = {
		...{ abi: v3Abi, functionName: "quoteExactInputSingle" as const },
		args: [{ ...params, sqrtPriceLimitX96: 0n }] as const,
	};
	const [outcome] = await rpc.settle([viewCall(quoter, encodeFunctionData(ask))], { signal });
	const answer = decoded(outcome, (data) =>
		decodeFunctionResult({ abi: v3Abi, functionName: "quoteExactInputSingle", data }),
	);
	return answer?.[0] ?? null;
}

/** Holds what the quoter says against what the pool's own figures say, and against both prices. */
function judge(
	{ bounds }: Deps,
	found: { pool: MarketPool; spendRaw: bigint; quotedRaw: bigint; deviationBps: bigint },
): Purchase | Refusal {
	const { pool, spendRaw, quotedRaw, deviationBps } = found;
	const { fee, spot, mean, liquidityNow } = pool;
	const ownRaw = outInRange(spendRaw, { ...spot, liquidity: liquidityNow, fee });
	const quotesBps = ownRaw === 0n ? BPS : gapBps(quotedRaw, ownRaw);
	if (quotesBps > bounds.quotesBps) {
		return refusal("quotes_disagree", `They are ${quotesBps} basis points apart.`);
	}
	const fairNow = outAtPrice(spendRaw, spot, fee);
	const fairMean = outAtPrice(spendRaw, mean, fee);
	if (fairNow === 0n || fairMean === 0n) return refusal("nothing_to_spend");
	const impactBps = quotedRaw < fairNow ? gapBps(quotedRaw, fairNow) : 0n;
	if (impactBps > bounds.impactBps) {
		return refusal("price_impact", `By ${impactBps} basis points.`);
	}
	const byMean = lessBps(fairMean, bounds.slippageBps);
	if (quotedRaw < byMean) {
		return refusal("price_moved", "It buys less than the average allows.");
	}
	return {
		...{ pool: pool.address, fee, spendRaw, quotedRaw },
		minBurnedRaw: lessBps(quotedRaw > fairMean ? quotedRaw : fairMean, bounds.slippageBps),
		worthRaw: (spendRaw * quotedRaw) / fairMean,
		...{ deviationBps, impactBps, quotesBps },
	};
}

/** Returns Uniswap's factory and wrapped coin, as the quoter names them. */
export async function readVenue(
	{ rpc, quoter }: Pick<BuybackDeps, "rpc" | "quoter">,
	signal: AbortSignal,
): Promise<{ factory: Address; wrapped: Address } | Refusal> {
	const names = ["factory", "WETH9"] as const;
	const calls = names.map((functionName) =>
		viewCall(quoter, encodeFunctionData({ abi, functionName })),
	);
	const outcomes = await rpc.settle(calls, { signal });
	const [factory, wrapped] = names.map((functionName, at) => {
		return addressOf(
			decoded(outcomes[at], (data) => decodeFunctionResult({ abi, functionName, data })),
		);
	});
	if (!factory || !wrapped) return refusal("contracts_unreadable", "The quoter names no factory.");
	return { factory, wrapped };
}

/**
 * Reads the pools of a pair, by the fees that are configured. Those whose price over the whole time
 * is not known are left out: their price now may be anybody's, and is no measure for itself.
 */
export async function readPools(
	{ rpc, bounds }: Pick<BuybackDeps, "rpc" | "bounds">,
	given: { pair: Pair; factory: Address; signal: AbortSignal },
): Promise<MarketPool[] | Refusal> {
	const { pair, factory, signal } = given;
	const { tokenIn, token } = pair;
	const asked = bounds.fees.map((fee) => {
		const args = [tokenIn, token, fee] as const;
		return viewCall(factory, encodeFunctionData({ abi, functionName: "getPool", args }));
	});
	const named = await rpc.settle(asked, { signal });
	const found = bounds.fees.flatMap((fee, at) => {
		const address = addressOf(
			decoded(named[at], (data) => decodeFunctionResult({ abi, functionName: "getPool", data })),
		);
		return address === null ? [] : [{ address, fee }];
	});
	if (found.length === 0) return refusal("no_pool");
	const window = [bounds.twapS, 0] as const;
	const views = [
		encodeFunctionData({ abi, functionName: "slot0" }),
		encodeFunctionData({ abi, functionName: "liquidity" }),
		encodeFunctionData({ abi, functionName: "observe", args: [window] }),
	];
	const outcomes = await rpc.settle(
		found.flatMap(({ address }) => views.map((data) => viewCall(address, data))),
		{ signal },
	);
	const isZeroForOne = BigInt(tokenIn) < BigInt(token);
	const looked = found.map((pool, at) => {
		const [slot0, liquidity, observed] = outcomes.slice(at * views.length);
		return poolOf({
			...{ ...pool, isZeroForOne, twapS: bounds.twapS },
			slot0: decoded(slot0, (data) => decodeFunctionResult({ abi, functionName: "slot0", data })),
			liquidityNow: decoded(liquidity, (data) =>
				decodeFunctionResult({ abi, functionName: "liquidity", data }),
			),
			observed: decoded(observed, (data) =>
				decodeFunctionResult({ abi, functionName: "observe", data }),
			),
		});
	});
	const fit = looked.filter((one): one is MarketPool => !("code" in one));
	if (fit.length > 0) return fit;
	// Of pools that are all unfit, the reason of the first that is not empty says more.
	const reasons = looked.flatMap((one) => ("code" in one ? [one] : []));
	return reasons.find(({ code }) => code !== "pool_empty") ?? refusal("pool_empty");
}

function poolOf(looked: {
	address: Address;
	fee: number;
	isZeroForOne: boolean;
	twapS: number;
	slot0: Slot0 | null;
	liquidityNow: bigint | null;
	observed: readonly [readonly bigint[], readonly bigint[]] | null;
}): MarketPool | Refusal {
	const { address, fee, isZeroForOne, twapS, slot0, liquidityNow, observed } = looked;
	if (!slot0 || slot0[0] === 0n || !liquidityNow) return refusal("pool_empty");
	const [sqrtPriceX96, , , cardinality] = slot0;
	if (!observed) {
		const isFew = cardinality <= OBSERVATIONS_UNASKED;
		return refusal(isFew ? "observations_few" : "pool_too_young");
	}
	const [[tickThen, tickNow], [lengthThen, lengthNow]] = observed;
	if (tickThen === undefined || tickNow === undefined) return refusal("pool_too_young");
	if (lengthThen === undefined || lengthNow === undefined) return refusal("pool_too_young");
	const meanTick = floorDiv(tickNow - tickThen, BigInt(twapS));
	// What counts how long liquidity lasted grows by 1/liquidity each second, and wraps at 2^160.
	const length = BigInt.asUintN(160, lengthNow - lengthThen);
	const meanLiquidity = length === 0n ? 0n : (BigInt(twapS) << 128n) / length;
	if (meanLiquidity === 0n) return refusal("pool_empty");
	return {
		...{ address, fee },
		spot: { sqrtPriceX96, isZeroForOne },
		mean: { sqrtPriceX96: sqrtRatioAtTick(Number(meanTick)), isZeroForOne },
		liquidity: meanLiquidity < liquidityNow ? meanLiquidity : liquidityNow,
		liquidityNow,
	};
}

/** Divides and rounds towards less, as Uniswap's own library rounds a tick. */
function floorDiv(amount: bigint, by: bigint): bigint {
	const whole = amount / by;
	return amount % by !== 0n && amount < 0n ? whole - 1n : whole;
}

/** Returns an address in small letters; null for none, and for the zero address. */
function addressOf(told: string | null): Address | null {
	const address = told?.toLowerCase() ?? "";
	return isAddress(address) && address !== ZERO_ADDRESS ? address : null;
}
