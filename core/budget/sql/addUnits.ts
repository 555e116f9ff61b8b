import type { AloneTake } from "#core/budget/createUnsentTakes.ts";
import type { Queryable } from "#core/db/Database.ts";

/**
 * Adds units to a window that were taken without it, each as old as it is; by primary key. They
 * are added whatever the window allows: these calls were made. Oldest first, as takes leave them.
 */
export async function addUnits(
	db: Queryable,
	key: Buffer,
	sent: { takes: readonly AloneTake[]; nowMs: number; aheadMs: number },
): Promise<void> {
	const units = sent.takes.flatMap((take) => Array<AloneTake>(take.amount).fill(take));
	await db.execute(
		`insert into core.budget as kept (key, taken_at, taken_of, granted, asked_at)
		select $1, array_agg(now.ms - unit.age order by unit.age desc),
			array_agg(unit.kinds order by unit.age desc), true, now.ms
		from (
			select floor(extract(epoch from clock_timestamp()) * 1000)::int8 + $4::int8 as ms
		) as now, unnest($2::int8[], $3::text[]) as unit (age, kinds)
		group by now.ms
		on conflict (key) do update set (taken_at, taken_of) = (
			select array_agg(unit.at order by unit.at), array_agg(unit.kinds order by unit.at)
			from (
				select * from unnest(kept.taken_at, kept.taken_of) as one (at, kinds)
				union all select * from unnest(excluded.taken_at, excluded.taken_of) as one (at, kinds)
			) as unit
		)`,
		[
			key,
			units.map(({ atMs }) => sent.nowMs - atMs),
			units.map(({ of }) => of.join(" ")),
			sent.aheadMs,
		],
	);
}
