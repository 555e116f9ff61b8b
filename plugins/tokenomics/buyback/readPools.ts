// Reads the pools of a pair, and keeps in memory what they offered on both sides of their price.

import { decodeFunctionResult, encodeFunctionData } from "viem";
import { type Address, isAddress, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import {
	type BuybackDeps,
	type PoolRecord,
	type Refusal,
	refusal,
} from "#plugins/tokenomics/buyback/buybackConfig.ts";
import { type Priced, sqrtRatioAtTick } from "#plugins/tokenomics/buyback/poolMath.ts";
import { decoded, v3Abi, viewCall } from "#plugins/tokenomics/contracts/abi.ts";
import { readOffered } from "#plugins/trading/contract.ts";

/** Holds a pool through which the token may be bought, with its current and its average price. */
export type MarketPool = {
	address: Address;
	fee: number;
	/** The price now. */
	spot: Priced;
	/** The price on average over the time that is configured. */
	mean: Priced;
	/**
	 * The least of what it holds now, held on average, and was seen to offer on both sides of its
	 * price over all of that time: what was put in just now does not count, nor what nobody could
	 * take.
	 */
	liquidity: bigint;
	/** Holds the pool's liquidity as it is now, which a swap meets. */
	liquidityNow: bigint;
};

/** The currency that is paid with as pools know it, and the token. */
export type Pair = { tokenIn: Address; token: Address };

type PoolsDeps = Pick<BuybackDeps, "rpc" | "quoter" | "bounds" | "record" | "clock">;

type Slot0 = readonly [
	sqrtPriceX96: bigint,
	tick: number,
	index: number,
	cardinality: number,
	...unknown[],
];

/** The least of the readings in one part of the time. */
type Part = { fromMs: number; toMs: number; least: bigint };

const abi = v3Abi;
/** Counts the observations that a pool keeps by default. */
const OBSERVATIONS_UNASKED = 1;
/** A pool is read so often. */
export const POOLS_EVERY_MS = 10_000;
/** The time is kept in so many parts at most. */
const PARTS = 60;
/** So much of the time may pass without a reading, as where a node is away: a sixth. */
const GAP_SHARE = 6;
const GAP_LEAST_MS = 3 * POOLS_EVERY_MS;

/**
 * Makes a record of pools in the memory of this process. A pool's own history says what its price
 * was and how much liquidity it had, and not on which side: a position that only sells is no price,
 * as nobody can sell to it. After a start the whole time passes before a pool counts.
 */
export function createPoolRecord(spanMs: number): PoolRecord {
	const partMs = Math.max(POOLS_EVERY_MS, spanMs / PARTS);
	const gapMs = Math.max(GAP_LEAST_MS, spanMs / GAP_SHARE);
	const byPool = new Map<Address, Part[]>();
	return {
		note({ pool, offered }, nowMs) {
			for (const [address, parts] of byPool) {
				const kept = parts.filter(({ toMs }) => toMs >= nowMs - spanMs - gapMs && toMs <= nowMs);
				if (kept.length > 0) byPool.set(address, kept);
				else byPool.delete(address);
			}
			const parts = byPool.get(pool) ?? [];
			const last = parts.at(-1);
			if (last && nowMs < last.fromMs + partMs) {
				last.toMs = nowMs;
				if (offered < last.least) last.least = offered;
			} else parts.push({ fromMs: nowMs, toMs: nowMs, least: offered });
			byPool.set(pool, parts);
		},
		least(pool, nowMs) {
			const parts = byPool.get(pool) ?? [];
			let [sinceMs, least]: [number | null, bigint | null] = [null, null];
			let untilMs = 0;
			for (const part of parts) {
				// Behind a gap nothing is known of what was before it.
				if (sinceMs === null || part.fromMs - untilMs > gapMs) {
					[sinceMs, least] = [part.fromMs, null];
				}
				if (least === null || part.least < least) least = part.least;
				untilMs = part.toMs;
			}
			if (sinceMs === null || sinceMs > nowMs - spanMs) return null;
			return nowMs - untilMs > gapMs ? null : least;
		},
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

/** Returns a currency as pools know it; null for the token itself. */
export function pairOf(paidWith: Address, token: Address, wrapped: Address): Pair | null {
	const tokenIn = paidWith === ZERO_ADDRESS ? wrapped : paidWith;
	return tokenIn === token ? null : { tokenIn, token };
}

/** Reads the pools of each currency once, for the record; where there is no token yet, nothing. */
export async function watchPools(
	deps: PoolsDeps & Pick<BuybackDeps, "contractsNow" | "currencies" | "db">,
	signal: AbortSignal,
): Promise<void> {
	const contracts = await deps.contractsNow(deps.db);
	if (!contracts) return;
	const venue = await readVenue(deps, signal);
	if ("code" in venue) return;
	for (const currency of deps.currencies) {
		const pair = pairOf(currency, contracts.token, venue.wrapped);
		if (pair) await readPools(deps, { pair, factory: venue.factory, signal });
	}
}

/**
 * Reads the pools of a pair, by the fees that are configured. Those whose price over the whole time
 * is not known are left out: their price now may be anybody's, and is no measure for itself.
 */
export async function readPools(
	deps: PoolsDeps,
	given: { pair: Pair; factory: Address; signal: AbortSignal },
): Promise<MarketPool[] | Refusal> {
	const { rpc, bounds, clock, record } = deps;
	const { pair, signal } = given;
	const found = await namedPools(deps, given);
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
	const seen = found.map((pool, at) => {
		const [slot0, liquidity, observed] = outcomes.slice(at * views.length);
		return {
			...pool,
			slot0: decoded(slot0, (data) => decodeFunctionResult({ abi, functionName: "slot0", data })),
			liquidityNow: decoded(liquidity, (data) =>
				decodeFunctionResult({ abi, functionName: "liquidity", data }),
			),
			observed: decoded(observed, (data) =>
				decodeFunctionResult({ abi, functionName: "observe", data }),
			),
		};
	});
	const isZeroForOne = BigInt(pair.tokenIn) < BigInt(pair.token);
	await noteOffered(deps, { seen, isZeroForOne, ...given });
	const nowMs = clock.nowMs();
	const looked = seen.map((one) => {
		const offered = record.least(one.address, nowMs);
		return poolOf({ ...one, isZeroForOne, twapS: bounds.twapS, offered });
	});
	const fit = looked.filter((one): one is MarketPool => !("code" in one));
	if (fit.length > 0) return fit;
	// Of pools that are all unfit, the reason of the first that is not empty says more.
	const reasons = looked.flatMap((one) => ("code" in one ? [one] : []));
	return reasons.find(({ code }) => code !== "pool_empty") ?? refusal("pool_empty");
}

type Seen = {
	address: Address;
	fee: number;
	slot0: Slot0 | null;
	liquidityNow: bigint | null;
	observed: readonly [readonly bigint[], readonly bigint[]] | null;
};

async function namedPools(
	{ rpc, bounds }: PoolsDeps,
	{ pair, factory, signal }: { pair: Pair; factory: Address; signal: AbortSignal },
): Promise<{ address: Address; fee: number }[]> {
	const { tokenIn, token } = pair;
	const asked = bounds.fees.map((fee) => {
		const args = [tokenIn, token, fee] as const;
		return viewCall(factory, encodeFunctionData({ abi, functionName: "getPool", args }));
	});
	const named = await rpc.settle(asked, { signal });
	return bounds.fees.flatMap((fee, at) => {
		const address = addressOf(
			decoded(named[at], (data) => decodeFunctionResult({ abi, functionName: "getPool", data })),
		);
		return address === null ? [] : [{ address, fee }];
	});
}

/** Adds what each pool offers on both sides to the record; what no node says adds nothing. */
async function noteOffered(
	{ rpc, quoter, clock, record }: PoolsDeps,
	given: { seen: readonly Seen[]; pair: Pair; isZeroForOne: boolean; signal: AbortSignal },
): Promise<void> {
	const { seen, pair, isZeroForOne, signal } = given;
	const [token0, token1] = isZeroForOne ? [pair.tokenIn, pair.token] : [pair.token, pair.tokenIn];
	const readable = seen.flatMap(({ address, fee, slot0, liquidityNow: liquidity }) => {
		if (!slot0 || slot0[0] === 0n || liquidity === null) return [];
		return [{ address, token0, token1, feeBps100: fee, sqrtPriceX96: slot0[0], liquidity }];
	});
	const offered = await readOffered({ rpc, quoter }, readable, signal);
	const nowMs = clock.nowMs();
	for (const [at, { address }] of readable.entries()) {
		const raw = offered[at] ?? null;
		if (raw !== null) record.note({ pool: address, offered: raw }, nowMs);
	}
}

function poolOf(
	looked: Seen & { isZeroForOne: boolean; twapS: number; offered: bigint | null },
): MarketPool | Refusal {
	const { address, fee, isZeroForOne, twapS, slot0, liquidityNow, observed, offered } = looked;
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
	if (offered === null) return refusal("pool_unwatched");
	if (offered === 0n) return refusal("pool_one_sided");
	const all = [meanLiquidity, liquidityNow, offered];
	return {
		...{ address, fee },
		spot: { sqrtPriceX96, isZeroForOne },
		mean: { sqrtPriceX96: sqrtRatioAtTick(Number(meanTick)), isZeroForOne },
		liquidity: all.reduce((one, other) => (other < one ? other : one)),
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
