// Decides what an amount of a currency buys, and whether the market is fit for that.

import { decodeFunctionResult, encodeFunctionData } from "viem";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { BuybackDeps } from "#plugins/tokenomics/buyback/BuybackDeps.ts";
import { BPS } from "#plugins/tokenomics/buyback/buybackConfig.ts";
import { decoded, v3Abi, viewCall } from "#plugins/tokenomics/buyback/contractViews.ts";
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
	readPools,
	readVenue,
} from "#plugins/tokenomics/buyback/readPools.ts";
import { type Refusal, refusal } from "#plugins/tokenomics/buyback/refusals.ts";

/** What a purchase would be, within every bound. */
export type Purchase = {
	pool: Address;
	fee: number;
	spendRaw: bigint;
	/** The least that is burned: below it the transaction changes nothing. */
	minBurnedRaw: bigint;
	/** What the quoter says is bought. */
	quotedRaw: bigint;
	/** What the quoted amount is worth at the average price, in the currency that is paid with. */
	worthRaw: bigint;
	deviationBps: bigint;
	impactBps: bigint;
	quotesBps: bigint;
};

type Deps = Pick<BuybackDeps, "rpc" | "quoter" | "bounds">;

/**
 * Says what so much of a currency buys, or why it is not spent. The pool is the deepest of those
 * configured. What has to be burned at least is measured twice, against the quote and against the
 * time-weighted price, and the greater counts: a price that somebody moves in the same block makes
 * the purchase fail, not dear.
 *
 * `exact: false` takes less where the pool is too shallow for all.
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
