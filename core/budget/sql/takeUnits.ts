import type { BudgetTerms } from "#core/budget/Budget.ts";
import type { TakenUnit } from "#core/budget/judgeTake.ts";
import { PAUSE_MAX_MS } from "#core/budget/limits.ts";
import type { Queryable } from "#core/db/Database.ts";

/** What the window holds after a take, on the server's clock. */
export type TakenWindow = {
	granted: boolean;
	taken: TakenUnit[];
	nowMs: number;
	pausedMs: number;
};

type Row = {
	granted: boolean;
	at: (string | number)[];
	kinds: string[];
	now: number;
	paused: number | null;
};

/**
 * Takes units out of a window, all of them or none, in one statement; by primary key.
 *
 * The row's lock puts takes of one name in order, and `on conflict` takes it before it reads the
 * row: each take counts what the one before left. The time is read behind the lock too, by the
 * server's clock alone, so that neither a wait nor a process's wrong clock moves the window. The
 * lock lasts for this one statement: nobody waits for a client.
 *
 * A take also removes units that left the window, and units more than a window ahead, which a
 * clock that was set back since has written. A refused take is written as well: a row can only be
 * read behind its lock by writing it. Callers remember a refusal until it ends.
 */
export async function takeUnits(
	db: Queryable,
	key: Buffer,
	terms: BudgetTerms & { aheadMs: number },
): Promise<TakenWindow> {
	const { amount, perWindow, windowMs, shares = [], aheadMs } = terms;
	const rows = await db.query<Row>(
		`insert into core.budget as kept (key, taken_at, taken_of, granted, asked_at)
		select $1, array_fill(now.ms, array[$2::int4]), array_fill($3::text, array[$2::int4]), true,
			now.ms
		from (${NOW}) as now
		on conflict (key) do update set (taken_at, taken_of, granted, asked_at) = (
			select
				case when fits then at || array_fill(ms, array[$2::int4]) else at end,
				case when fits then kinds || array_fill($3::text, array[$2::int4]) else kinds end,
				fits, ms
			from (
				select now.ms, coalesce(array_agg(unit.at order by unit.n) filter (where unit.n > 0),
						'{}') as at,
					coalesce(array_agg(unit.kinds order by unit.n) filter (where unit.n > 0), '{}') as kinds,
					count(unit.n) + $2 <= $4::int4
						and not coalesce(kept.paused_until > now.ms
							and kept.paused_until <= now.ms + ${PAUSE_MAX_MS}, false)
						and not exists (
							select from unnest($5::text[], $6::int4[]) as share (kind, most)
							where share.most < $2 + (
								select count(*) from unnest(kept.taken_at, kept.taken_of) as one (at, kinds)
								where one.at > now.ms - $7::int8 and one.at <= now.ms + $7::int8
									and share.kind = any(string_to_array(one.kinds, ' '))
							)
						) as fits
				from (${NOW}) as now
				left join lateral unnest(kept.taken_at, kept.taken_of) with ordinality
					as unit (at, kinds, n)
					on unit.at > now.ms - $7::int8 and unit.at <= now.ms + $7::int8
				group by now.ms
			) as judged
		)
		returning granted, taken_at as at, taken_of as kinds, asked_at as now, paused_until as paused`,
		[
			key,
			amount,
			shares.map(({ of }) => of).join(" "),
			perWindow,
			shares.map(({ of }) => of),
			shares.map((share) => share.perWindow),
			windowMs,
			aheadMs,
		],
	);
	const [row] = rows;
	if (!row) return { granted: false, taken: [], nowMs: 0, pausedMs: windowMs };
	const pausedMs = (row.paused ?? 0) - row.now;
	return {
		granted: row.granted,
		taken: row.at.map((at, unit) => ({
			atMs: Number(at),
			of: (row.kinds[unit] ?? "").split(" "),
		})),
		nowMs: row.now,
		pausedMs: pausedMs > 0 && pausedMs <= PAUSE_MAX_MS ? pausedMs : 0,
	};
}

/** The server's clock at this moment (`now()` is when the statement began), in ms. */
const NOW = "select floor(extract(epoch from clock_timestamp()) * 1000)::int8 + $8::int8 as ms";
