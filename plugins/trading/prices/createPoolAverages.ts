// Says what pools cost on average of half an hour, and how much they offered at it: by their own
// history, or by our record of them.

import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from "viem";
import { readAbiUint } from "#core/chain/abi.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import { DAY_MS, MINUTE_MS } from "#core/time.ts";
import { TICK_MAX } from "#plugins/trading/poolRatio.ts";
import {
	addTicks,
	dropTicks,
	type PoolTick,
	readTicks,
	type TickSpan,
} from "#plugins/trading/sql/poolPrices.ts";

/** A pool's mean price of the last half hour. */
export type PoolAverage = {
	tick: number;
	/**
	 * True: all of the half hour is in it, and the pool held then not much less than it does now.
	 * What has gaps, or begins too late, may say that a price is wrong, and never that it is right.
	 */
	isWhole: boolean;
	/**
	 * The harmonic mean of its liquidity; null: unknown. Without liquidity a price costs nothing, and
	 * one minute without it makes this as good as nothing.
	 */
	liquidity: bigint | null;
};

/**
 * The lowest and the highest price of a pool in a day of our record, and the liquidity that it had
 * in at least half an hour of that.
 */
export type PoolDay = { least: number; greatest: number; liquidity: bigint };

export type PoolAverages = {
	/** Adds one reading of each pool to the record. */
	note(ticks: readonly PoolTick[]): Promise<void>;
	/** Deletes what is older than a day. */
	prune(): Promise<void>;
	/** Returns the mean of each pool, in their order; null where nothing says one. */
	read(pools: readonly Address[], signal: AbortSignal): Promise<(PoolAverage | null)[]>;
	/** Returns what our record of a day says; pools with less than half an hour are left out. */
	day(pools: readonly Address[]): Promise<ReadonlyMap<Address, PoolDay>>;
};

const SPAN_MINUTES = 30;
const SPAN_SECONDS = SPAN_MINUTES * 60;
/** The least minutes of the half hour that a valid average covers. */
const MINUTES_LEAST = 25;
/** A record whose newest reading is older does not say what is so now. */
const NEWEST_MS = 3 * MINUTE_MS;
/** A pool that holds more times its mean was filled a moment ago: its past is another's. */
const GROWTH_MAX = 4n;
/** The liquidity of a pool of Uniswap V3 is below this, and its sums wrap at their own widths. */
const LIQUIDITY_END = 1n << 128n;
const TICK_SUM_BITS = 56;
const DEPTH_SUM_BITS = 160;
const LIQUIDITY: Hex = "0x1a686502";

const abi = parseAbi([
	"function observe(uint32[] secondsAgos) view returns (int56[] tickCumulatives, uint160[] secondsPerLiquidityCumulativeX128s)",
]);
const OBSERVE = encodeFunctionData({ abi, functionName: "observe", args: [[SPAN_SECONDS, 0]] });

/**
 * Makes the averages of pools. A pool's own history (`observe`) comes first; where it reverts, as
 * in most pools because they keep one observation, our own record is used: pools are read every ten
 * seconds anyway, and each minute's mean is kept for a day. Both show the liquidity: its owner may
 * remove it, move the price by a tiny amount, and return it.
 */
export function createPoolAverages(deps: {
	rpc: Pick<Rpc, "settle">;
	db: Queryable;
	clock: Clock;
}): PoolAverages {
	const { rpc, db, clock } = deps;
	const recorded = (pools: readonly Address[], spanMs: number) => {
		const nowMs = clock.nowMs();
		// What another clock dated later than now says nothing.
		const span = { from: new Date(nowMs - spanMs), to: new Date(nowMs) };
		return readTicks(db, { pools, ...span, deepestMinutes: MINUTES_LEAST });
	};
	return {
		async note(ticks) {
			if (ticks.length === 0) return;
			const minute = minuteOf(clock.nowMs());
			// A pool that is configured twice is read twice, and counts once.
			const once = [...new Map(ticks.map((one) => [one.pool, one])).values()];
			await addTicks(db, { minute: new Date(minute), ticks: once });
		},
		prune: () => dropTicks(db, DAY_MS),
		async read(pools, signal) {
			const seen = await observed(rpc, pools, signal);
			const rows = await recorded(pools, SPAN_MINUTES * MINUTE_MS);
			const byPool = new Map(rows.map((row) => [row.pool, row]));
			return pools.map((pool, index) => {
				const { own = null, liquidityNow = null } = seen[index] ?? {};
				const row = byPool.get(pool);
				const recordOf = averageOf(row, clock.nowMs());
				const average = own ? heldAlso(own, recordOf) : recordOf;
				if (!average) return null;
				const isWhole = average.isWhole && isSteady(average.liquidity, liquidityNow);
				return { ...average, isWhole };
			});
		},
		async day(pools) {
			const rows = await recorded(pools, DAY_MS);
			const days = rows.flatMap(({ pool, least, greatest, deepest }): [Address, PoolDay][] => {
				if (deepest === null || least === null || greatest === null) return [];
				const isWithin = least >= -TICK_MAX && greatest <= TICK_MAX;
				return isWithin ? [[pool, { least, greatest, liquidity: deepest }]] : [];
			});
			return new Map(days);
		},
	};
}

/** Holds what the chain shows of a pool: its mean by its own history, and its current liquidity. */
type Seen = { own: PoolAverage | null; liquidityNow: bigint | null };

/** Returns what the chain says of each pool; nothing where it is silent. */
async function observed(
	rpc: Pick<Rpc, "settle">,
	pools: readonly Address[],
	signal: AbortSignal,
): Promise<Seen[]> {
	const calls = [OBSERVE, LIQUIDITY].flatMap((data) => {
		return pools.map((to) => ({ method: "eth_call", params: [{ to, data }, "latest"] }));
	});
	try {
		const outcomes = await rpc.settle(calls, { signal });
		return pools.map((_, index) => {
			const now = outcomes[pools.length + index];
			const liquidityNow = now?.kind === "result" ? readAbiUint(now.result) : null;
			return { own: meanOf(outcomes[index]), liquidityNow };
		});
	} catch {
		signal.throwIfAborted();
		return [];
	}
}

function meanOf(outcome: RpcOutcome | undefined): PoolAverage | null {
	if (outcome?.kind !== "result") return null;
	const data = outcome.result;
	if (typeof data !== "string" || !isHex(data)) return null;
	try {
		const [ticks, depths] = decodeFunctionResult({ abi, functionName: "observe", data });
		return consult(ticks, depths);
	} catch {
		return null;
	}
}

/**
 * Returns the mean of two observations half an hour apart: of the tick, rounded down, and of the
 * liquidity, the harmonic one, as Uniswap's `OracleLibrary.consult` does.
 */
export function consult(
	[ticksBefore, ticksNow]: readonly bigint[],
	[depthBefore, depthNow]: readonly bigint[],
): PoolAverage | null {
	if (ticksBefore === undefined || ticksNow === undefined) return null;
	const ticks = BigInt.asIntN(TICK_SUM_BITS, ticksNow - ticksBefore);
	const tick = Math.floor(Number(ticks) / SPAN_SECONDS);
	if (Math.abs(tick) > TICK_MAX) return null;
	const isTold = depthBefore !== undefined && depthNow !== undefined;
	const depths = isTold ? BigInt.asUintN(DEPTH_SUM_BITS, depthNow - depthBefore) : 0n;
	const mean = depths === 0n ? LIQUIDITY_END : (BigInt(SPAN_SECONDS) << 128n) / depths;
	const liquidity = mean < LIQUIDITY_END ? mean : null;
	return { tick, isWhole: liquidity !== null, liquidity };
}

/** Returns whether a pool holds what it held; unknown is no. */
function isSteady(mean: bigint | null, now: bigint | null): boolean {
	return mean !== null && now !== null && now > 0n && now <= mean * GROWTH_MAX;
}

/**
 * Returns a pool's own mean with what our record knows of its liquidity: a history does not say
 * whether it was on both sides of the price, and our readings of the same half hour do. Without
 * them all of it may have been where nobody trades.
 */
function heldAlso(own: PoolAverage, recorded: PoolAverage | null): PoolAverage {
	if (own.liquidity === null) return own;
	if (!recorded || recorded.liquidity === null) return { ...own, isWhole: false };
	const { liquidity, isWhole } = recorded;
	return {
		...own,
		isWhole: own.isWhole && isWhole,
		liquidity: liquidity < own.liquidity ? liquidity : own.liquidity,
	};
}

function averageOf(span: TickSpan | undefined, nowMs: number): PoolAverage | null {
	if (!span?.newest || span.mean === null || Math.abs(span.mean) > TICK_MAX) return null;
	const isNew = nowMs - span.newest.getTime() <= NEWEST_MS;
	const isWhole = isNew && span.minutes >= MINUTES_LEAST;
	return { tick: span.mean, isWhole, liquidity: span.liquidity };
}

function minuteOf(ms: number): number {
	return Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}

function isHex(text: string): text is Hex {
	return /^0x[0-9a-f]*$/i.test(text);
}
