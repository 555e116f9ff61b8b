import { PAUSE_MAX_MS } from "#core/budget/limits.ts";
import type { Queryable } from "#core/db/Database.ts";

/** Stops takes from a window until then, by the server's clock; by primary key. */
export async function pauseUnits(
	db: Queryable,
	key: Buffer,
	{ forMs, aheadMs }: { forMs: number; aheadMs: number },
): Promise<void> {
	await db.execute(
		`insert into core.budget as kept (key, granted, asked_at, paused_until)
		select $1, false, now.ms, now.ms + $2::int8
		from (
			select floor(extract(epoch from clock_timestamp()) * 1000)::int8 + $3::int8 as ms
		) as now
		on conflict (key) do update set paused_until = case
			when kept.paused_until <= excluded.asked_at + ${PAUSE_MAX_MS}
				then greatest(kept.paused_until, excluded.paused_until)
			else excluded.paused_until end`,
		[key, forMs, aheadMs],
	);
}
