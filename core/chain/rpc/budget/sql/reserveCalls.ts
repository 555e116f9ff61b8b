import { LEARNED_KEPT_MS, PAUSE_MAX_MS, STEADY_SHARE } from "#core/chain/rpc/budget/limits.ts";
import type { Queryable } from "#core/db/Database.ts";

export type ReservedCalls = {
	in_ms: number;
	per_second: number;
	/** The version of the rate that all processes learned; null if none was learned recently. */
	version: number | null;
};

/**
 * Advances the endpoint's time by these calls, at the recently learned rate or else the given one;
 * returns where they begin. By primary key; the row's lock orders the processes, and the time is
 * the server's, read after it. A time further ahead than any pause was written before a clock was
 * set back.
 */
export async function reserveCalls(
	db: Queryable,
	key: Buffer,
	{ calls, perSecond }: { calls: number; perSecond: number },
): Promise<ReservedCalls | null> {
	const [row] = await db.query<ReservedCalls>(
		`insert into core.call_budget as kept (key, next_at, in_ms, used_per_second)
		select $1, at.ms + $2::float8 * 1000 / ($3::float8 * ${STEADY_SHARE}), 0, $3
		from (${NOW}) as at
		on conflict (key) do update set (next_at, in_ms, used_per_second) = (
			select start + $2::float8 * rate.call_ms, start - at.ms, rate.per_second
			from (${NOW}) as at,
			lateral (
				select per_second, 1000 / (per_second * ${STEADY_SHARE}) as call_ms
				from (select least($3::float8, case when kept.learned_at between at.ms - ${LEARNED_KEPT_MS}
					and at.ms + ${LEARNED_KEPT_MS} then kept.per_second end) as per_second) as known
			) as rate,
			lateral (
				select greatest(
					case when kept.next_at <= at.ms + ${PAUSE_MAX_MS * 2} then kept.next_at end,
					at.ms - (greatest(1, floor(rate.per_second * ${1 - STEADY_SHARE})) - 1) * rate.call_ms
				) as start
			) as begun
		)
		returning in_ms, used_per_second as per_second,
			case when kept.learned_at > (select ms from (${NOW}) as at) - ${LEARNED_KEPT_MS}
				then kept.version end as version`,
		[key, calls, perSecond],
	);
	return row ?? null;
}

const NOW = "select extract(epoch from clock_timestamp())::float8 * 1000 as ms";
