import type { LearnedRate } from "#core/chain/rpc/budget/CallTimeline.ts";
import { LEARNED_KEPT_MS } from "#core/chain/rpc/budget/limits.ts";
import type { Queryable } from "#core/db/Database.ts";

/**
 * Stores a learned rate unless another process was first, and moves the next start behind the
 * pause. By primary key.
 */
export async function noteRate(
	db: Queryable,
	key: Buffer,
	{ perSecond, version, pauseMs }: LearnedRate & { pauseMs: number },
): Promise<void> {
	await db.execute(
		`insert into core.call_budget as kept
			(key, next_at, in_ms, used_per_second, per_second, version, learned_at)
		select $1, at.ms + $4::float8, 0, $2, $2, $3, at.ms
		from (select extract(epoch from clock_timestamp())::float8 * 1000 as ms) as at
		on conflict (key) do update set
			next_at = greatest(kept.next_at, excluded.next_at),
			(per_second, version, learned_at) = (
				select
					case when is_newer then excluded.per_second else kept.per_second end,
					case when is_newer then excluded.version else kept.version end,
					case when is_newer then excluded.learned_at else kept.learned_at end
				from (select kept.version is null or kept.version < excluded.version
					or kept.learned_at < excluded.learned_at - ${LEARNED_KEPT_MS} as is_newer) as judged
			)`,
		[key, perSecond, version, pauseMs],
	);
}
