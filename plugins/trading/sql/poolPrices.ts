// Reads and writes our own record of pools, minute by minute.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";

/** The logarithm of a pool's price (Uniswap V3's tick) at one reading, and the liquidity there. */
export type PoolTick = { pool: Address; tick: number; liquidity: bigint };

/** Holds the figures of a pool over a time span of the record. */
export type TickSpan = {
	pool: Address;
	/** Minutes of the span that have a price. */
	minutes: number;
	/** The newest of them; null, as all prices here: none has one. */
	newest: Date | null;
	/** The mean of the minutes, rounded down; the least and the greatest minute. */
	mean: number | null;
	least: number | null;
	greatest: number | null;
	/** The harmonic mean of the minutes' least liquidity; null: that of one of them is unknown. */
	liquidity: bigint | null;
	/** The liquidity of the deepest minutes, as many as were asked for; null: there are fewer. */
	deepest: bigint | null;
};

type SpanRow = Omit<TickSpan, "liquidity" | "deepest"> & {
	liquidity: string | null;
	deepest: string | null;
};

/**
 * Adds one reading of each pool to its minute. Of several processes each adds its own. Without
 * liquidity anybody sets a price for nothing: that reading is kept as one, and adds no price. A
 * minute that an older release read too stays unknown.
 */
export async function addTicks(
	db: Queryable,
	{ minute, ticks }: { minute: Date; ticks: readonly PoolTick[] },
): Promise<void> {
	await db.execute(
		`insert into trading.pool_price as kept (pool, minute, tick_sum, samples, liquidity)
		select pool, $2, case when depth > 0 then tick else 0 end, (depth > 0)::int, depth
		from unnest($1::bytea[], $3::int8[], $4::text[]::numeric[]) as t (pool, tick, depth)
		order by pool
		on conflict (pool, minute) do update
			set tick_sum = kept.tick_sum + excluded.tick_sum,
				samples = kept.samples + excluded.samples,
				liquidity = case when kept.liquidity is not null
					then least(kept.liquidity, excluded.liquidity) end`,
		[
			...[ticks.map(({ pool }) => bytesOf(pool)), minute, ticks.map(({ tick }) => tick)],
			ticks.map(({ liquidity }) => String(liquidity)),
		],
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

/**
 * Returns what a span says of pools; those without a reading are left out. By primary key. The mean
 * liquidity is harmonic, as a pool's own history has it: one empty minute makes it as good as none.
 */
export async function readTicks(
	db: Queryable,
	given: { pools: readonly Address[]; from: Date; to: Date; deepestMinutes: number },
): Promise<TickSpan[]> {
	const { pools, from, to, deepestMinutes } = given;
	if (pools.length === 0) return [];
	const rows = await db.query<SpanRow>(
		`select '0x' || encode(pool, 'hex') as pool,
			(count(*) filter (where samples > 0))::int as minutes,
			max(minute) filter (where samples > 0) as newest,
			floor(avg(tick_sum::numeric / nullif(samples, 0)))::int as mean,
			floor(min(tick_sum::numeric / nullif(samples, 0)))::int as least,
			ceil(max(tick_sum::numeric / nullif(samples, 0)))::int as greatest,
			case when bool_and(liquidity is not null)
				then floor(count(*) / sum(1 / greatest(liquidity, 1))) end::text as liquidity,
			(array_agg(liquidity order by liquidity desc nulls last))[$4]::text as deepest
		from trading.pool_price where pool = any($1::bytea[]) and minute >= $2 and minute <= $3
		group by pool`,
		[pools.map((pool) => bytesOf(pool)), from, to, deepestMinutes],
	);
	const unitsOf = (text: string | null) => (text === null ? null : BigInt(text));
	return rows.map((row) => {
		return { ...row, liquidity: unitsOf(row.liquidity), deepest: unitsOf(row.deepest) };
	});
}
