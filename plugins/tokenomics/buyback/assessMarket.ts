// Decides what an amount buys, and whether the market is fit for it.

import { decodeFunctionResult, encodeFunctionData } from "viem";
import type { Address } from "#core/chain/Hex.ts";
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
	priceGapBps,
} from "#plugins/tokenomics/buyback/poolMath.ts";
import {
	type MarketPool,
	type Pair,
	pairOf,
	readPools,
	readVenue,
} from "#plugins/tokenomics/buyback/readPools.ts";
import { decoded, v3Abi, viewCall } from "#plugins/tokenomics/contracts/abi.ts";
import { narrowestOf } from "#plugins/trading/contract.ts";

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

type Deps = Pick<BuybackDeps, "rpc" | "quoter" | "bounds" | "record" | "clock">;

/** A pool, how much may be spent in it, and what that buys at its mean price. */
type Offer = { pool: MarketPool; spendRaw: bigint; mostRaw: bigint; fairRaw: bigint };

/**
 * The share of the most that a run begins with: its purchase is planned later, and a pool holds
 * then a little more or less.
 */
const BEGUN_BPS = 9_000n;

/**
 * Returns what an amount of a currency buys, or why it is not spent. Of the pools the one counts
 * that gives most at its mean price for what it bears: a pool that sells dear gets nothing, however
 * deep it seems. The least amount to burn is computed twice, by the quote and by the time-weighted
 * price, and the greater counts: if a price is manipulated in the same block, the purchase fails,
 * and does not become dear.
 *
 * `exact: false` spends a smaller amount where the pool cannot take all within the bounds.
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
	const pair = pairOf(paidWith, token, wrapped);
	if (!pair) return refusal("no_pool", "It is the token itself.");
	const pools = await readPools(deps, { pair, factory, signal });
	if ("code" in pools) return pools;
	const offers = pools.map((pool) => offerOf(deps, { pool, ...asked }));
	const [first, ...others] = offers;
	if (!first) return refusal("no_pool");
	const best = others.reduce((one, other) => (other.fairRaw > one.fairRaw ? other : one), first);
	const { pool, spendRaw, mostRaw } = best;
	if (asked.exact && asked.spendRaw > mostRaw) return refusal("pool_thin");
	if (spendRaw === 0n) return refusal("pool_empty");
	const deviationBps = priceGapBps(pool.spot.sqrtPriceX96, pool.mean.sqrtPriceX96);
	if (deviationBps > bounds.deviationBps) {
		return refusal("price_moved", `It is ${deviationBps} basis points away.`);
	}
	const quotedRaw = await quote(deps, { pair, pool, spendRaw, signal });
	if (!quotedRaw) return refusal("pool_empty", "Its quoter finds nothing to buy.");
	return judge(deps, { pool, spendRaw, quotedRaw, deviationBps });
}

/**
 * Says how much may be spent in a pool: a share of its depth, and no more than its liquidity would
 * hold in the narrowest position. Liquidity alone is no money: a few dollars around one price have
 * as much as thousands around all.
 */
function offerOf(
	{ bounds }: Deps,
	{ pool, spendRaw: askedRaw, exact }: { pool: MarketPool; spendRaw: bigint; exact: boolean },
): Offer {
	const { spot, mean, liquidity, fee } = pool;
	const depth = depthOf({ ...spot, liquidity });
	const { raw0, raw1 } = narrowestOf({ liquidity, sqrtPriceX96: spot.sqrtPriceX96 }, fee);
	const mostRaw = least((depth * bounds.depthBps) / BPS, spot.isZeroForOne ? raw0 : raw1);
	const spendRaw = least(askedRaw, exact ? mostRaw : (mostRaw * BEGUN_BPS) / BPS);
	return { pool, spendRaw, mostRaw, fairRaw: outAtPrice(spendRaw, mean, fee) };
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
