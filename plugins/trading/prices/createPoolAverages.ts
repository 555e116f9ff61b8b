// Says what pools cost on average of half an hour: by their own history, or by our record of them.

import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
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
	 * True: all of the half hour is in it. What has gaps, or begins too late, may say that a price is
	 * wrong, and never that it is right.
	 */
	isWhole: boolean;
};

/** The lowest and the highest price of a pool in a day of our record. */
export type PoolDay = Pick<TickSpan, "least" | "greatest">;

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
/** Of the half hour's minutes, those that a whole average has at least. */
const MINUTES_LEAST = 25;
/** A record whose newest reading is older does not say what is so now. */
const NEWEST_MS = 3 * MINUTE_MS;

const abi = parseAbi([
	"function observe(uint32[] secondsAgos) view returns (int56[] tickCumulatives, uint160[] secondsPerLiquidityCumulativeX128s)",
]);
const OBSERVE = encodeFunctionData({ abi, functionName: "observe", args: [[SPAN_SECONDS, 0]] });

/**
 * Makes the averages of pools. A pool's own history (`observe`) comes first; where it reverts, as
 * it does in most pools because they keep one observation, our own record stands in: pools are
 * read every ten seconds anyway, and each minute's mean is kept for a day.
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
		return readTicks(db, { pools, from: new Date(nowMs - spanMs), to: new Date(nowMs) });
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
			const own = await observed(rpc, pools, signal);
			const silent = pools.filter((_, index) => own[index] === null);
			const rows = await recorded(silent, SPAN_MINUTES * MINUTE_MS);
			const byPool = new Map(rows.map((row) => [row.pool, row]));
			return pools.map((pool, index) => {
				const tick = own[index] ?? null;
				if (tick !== null) return { tick, isWhole: true };
				return averageOf(byPool.get(pool), clock.nowMs());
			});
		},
		async day(pools) {
			const rows = await recorded(pools, DAY_MS);
			const known = rows.filter((row) => row.minutes >= MINUTES_LEAST && isWithin(row));
			return new Map(known.map((row) => [row.pool, row]));
		},
	};
}

/** Returns each pool's mean tick by its own history; null where it has none, or is silent. */
async function observed(
	rpc: Pick<Rpc, "settle">,
	pools: readonly Address[],
	signal: AbortSignal,
): Promise<(number | null)[]> {
	const calls = pools.map((to) => ({
		method: "eth_call",
		params: [{ to, data: OBSERVE }, "latest"],
	}));
	try {
		return (await rpc.settle(calls, { signal })).map(meanOf);
	} catch {
		signal.throwIfAborted();
		return pools.map(() => null);
	}
}

function meanOf(outcome: RpcOutcome): number | null {
	if (outcome.kind === "fault") return null;
	const data = outcome.result;
	if (typeof data !== "string" || !isHex(data)) return null;
	try {
		const [[before, now]] = decodeFunctionResult({ abi, functionName: "observe", data });
		if (before === undefined || now === undefined) return null;
		const tick = Math.floor(Number(now - before) / SPAN_SECONDS);
		return Math.abs(tick) > TICK_MAX ? null : tick;
	} catch {
		return null;
	}
}

function averageOf(span: TickSpan | undefined, nowMs: number): PoolAverage | null {
	if (!span || Math.abs(span.mean) > TICK_MAX) return null;
	const isNew = nowMs - span.newest.getTime() <= NEWEST_MS;
	return { tick: span.mean, isWhole: isNew && span.minutes >= MINUTES_LEAST };
}

function isWithin({ least, greatest }: PoolDay): boolean {
	return least >= -TICK_MAX && greatest <= TICK_MAX;
}

function minuteOf(ms: number): number {
	return Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}

function isHex(text: string): text is `0x${string}` {
	return /^0x[0-9a-f]*$/i.test(text);
}
