// Reads and writes our own record of what pools said, minute by minute.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";

/** The logarithm of a pool's price (Uniswap V3's tick) at one reading. */
export type PoolTick = { pool: Address; tick: number };

/** What a span of the record says of a pool. */
export type TickSpan = {
	pool: Address;
	/** Minutes of the span that have a reading. */
	minutes: number;
	/** The newest of them. */
	newest: Date;
	/** The mean of the minutes, rounded down; the least and the greatest minute. */
	mean: number;
	least: number;
	greatest: number;
};

/** Adds one reading of each pool to its minute. Of several processes each adds its own. */
export async function addTicks(
	db: Queryable,
	{ minute, ticks }: { minute: Date; ticks: readonly PoolTick[] },
): Promise<void> {
	await db.execute(
		`insert into trading.pool_price as kept (pool, minute, tick_sum, samples)
		select pool, $2, tick, 1 from unnest($1::bytea[], $3::int8[]) as t (pool, tick)
		order by pool
		on conflict (pool, minute) do update
			set tick_sum = kept.tick_sum + excluded.tick_sum, samples = kept.samples + 1`,
		[ticks.map(({ pool }) => bytesOf(pool)), minute, ticks.map(({ tick }) => tick)],
	);
}

/**
 * Deletes what is older, and what a wrong clock dated as far ahead, by the database's time. By
 * `pool_price_minute`.
 */
export async function dropTicks(db: Queryable, keptMs: number): Promise<void> {
	await db.execute(
		`delete from trading.pool_price
		where minute < now() - $1 * interval '1 millisecond'
			or minute > now() + $1 * interval '1 millisecond'`,
		[keptMs],
	);
}

/** Returns what a span says of pools; those without a reading are left out. By primary key. */
export async function readTicks(
	db: Queryable,
	{ pools, from, to }: { pools: readonly Address[]; from: Date; to: Date },
): Promise<TickSpan[]> {
	if (pools.length === 0) return [];
	return db.query<TickSpan>(
		`select '0x' || encode(pool, 'hex') as pool, count(*)::int as minutes, max(minute) as newest,
			floor(avg(tick_sum::numeric / samples))::int as mean,
			floor(min(tick_sum::numeric / samples))::int as least,
			ceil(max(tick_sum::numeric / samples))::int as greatest
		from trading.pool_price where pool = any($1::bytea[]) and minute >= $2 and minute <= $3
		group by pool`,
		[pools.map((pool) => bytesOf(pool)), from, to],
	);
}
