// Reads the Uniswap V3 pools of a pair, with their average prices.

import { decodeFunctionResult, encodeFunctionData } from "viem";
import { type Address, isAddress, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { BuybackDeps } from "#plugins/tokenomics/buyback/BuybackDeps.ts";
import { decoded, v3Abi, viewCall } from "#plugins/tokenomics/buyback/contractViews.ts";
import { type Priced, sqrtRatioAtTick } from "#plugins/tokenomics/buyback/poolMath.ts";
import { type Refusal, refusal } from "#plugins/tokenomics/buyback/refusals.ts";

/** A pool that the token may be bought through, as it stands and as it stood on average. */
export type MarketPool = {
	address: Address;
	fee: number;
	/** The price now. */
	spot: Priced;
	/** The price on average over the time that is configured. */
	mean: Priced;
	/** The less of what it holds now and held on average: what was put in just now does not count. */
	liquidity: bigint;
	/** As it is now, which a swap meets. */
	liquidityNow: bigint;
};

/** The currency that is paid with as pools know it, and the token. */
export type Pair = { tokenIn: Address; token: Address };

const abi = v3Abi;
/** The pool keeps this many observations where nobody asked for more. */
const OBSERVATIONS_UNASKED = 1;

type Slot0 = readonly [
	sqrtPriceX96: bigint,
	tick: number,
	index: number,
	cardinality: number,
	...unknown[],
];

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

/** Returns an address in small letters; null for none, and for the address of nobody. */
function addressOf(told: string | null): Address | null {
	const address = told?.toLowerCase() ?? "";
	return isAddress(address) && address !== ZERO_ADDRESS ? address : null;
}
