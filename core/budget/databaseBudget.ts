// Shares budgets between all processes through the database.

import { createHash } from "node:crypto";
import {
	type AloneTake,
	AWAY_MS,
	assertPause,
	assertTerms,
	type Budget,
	type BudgetAnswer,
	type BudgetTerms,
	createRefusals,
	createTakeLog,
	createUnsentTakes,
	judgeTake,
	PAUSE_MAX_MS,
	RETRY_ALONE_MS,
	SHARE_ALONE_DIVISOR,
	TAKE_TIMEOUT_MS,
	type TakeLog,
	type TakenUnit,
} from "#core/budget/Budget.ts";
import type { Clock } from "#core/clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import { createTimely } from "#core/db/openGatheringSocket.ts";
import type { Log } from "#core/log.ts";

/** Holds the state of the window after a take, by the server's clock. */
export type TakenWindow = {
	granted: boolean;
	taken: TakenUnit[];
	nowMs: number;
	pausedMs: number;
};

export type DatabaseBudgetOptions = {
	db: Queryable;
	clock: Clock;
	log: Log;
	/**
	 * Returns how far a test has moved this process's time ahead; the server's time is moved as far.
	 */
	aheadMs?: () => number;
	timeoutMs?: number;
};

type Row = {
	granted: boolean;
	at: (string | number)[];
	kinds: string[];
	now: number;
	paused: number | null;
};

/** Holds a grant that came too late for its caller, and what was taken alone meanwhile. */
type LateGrant = { atMs: number; alone: AloneTake | null };

/** The server's clock at this moment (`now()` is when the statement began), in ms. */
const NOW = "select floor(extract(epoch from clock_timestamp()) * 1000)::int8 + $8::int8 as ms";

const AWAY = "the database does not share budgets now: this process has a quarter of each";

/**
 * Returns the budget of all processes on one database: one statement a take, by the server's clock.
 *
 * Each process also remembers what it took itself. While the database does not answer it goes on
 * with a share of the window, into which counts what it was granted before; the database is told
 * of it once it answers again. What was refused is remembered too: nothing that others do makes the
 * wait shorter, so nobody asks again before.
 */
export function databaseBudget(options: DatabaseBudgetOptions): Budget {
	const { db, clock, log, aheadMs = () => 0, timeoutMs = TAKE_TIMEOUT_MS } = options;
	const own = createTakeLog(clock);
	const refusals = createRefusals(clock);
	const unsent = createUnsentTakes(clock);
	const onAway = (why: unknown) => log.warn(AWAY, { why });
	const timely = createTimely({ clock, timeoutMs, awayMs: AWAY_MS, onAway });

	/** Sends the database what was taken without it: else others would be granted that again. */
	async function sendTakes(name: string): Promise<void> {
		const takes = unsent.takeOut(name);
		if (takes.length === 0) return;
		const sent = { takes, nowMs: clock.nowMs(), aheadMs: aheadMs() };
		await timely.ask(
			() => addUnits(db, keyOf(name), sent).then(() => true),
			(isStored) => {
				if (!isStored) unsent.putBack(name, takes);
			},
		);
	}

	async function ask(
		name: string,
		terms: BudgetTerms,
		onLate: (window: TakenWindow | null) => void,
	): Promise<BudgetAnswer | null> {
		if (!timely.isAway()) await sendTakes(name);
		if (timely.isAway()) return null;
		const asked = { ...terms, aheadMs: aheadMs() };
		const window = await timely.ask(() => takeUnits(db, keyOf(name), asked), onLate);
		if (window === null) return null;
		const { granted, taken, nowMs, pausedMs } = window;
		const before = granted ? taken.slice(0, taken.length - terms.amount) : taken;
		return { ...judgeTake(before, terms, { nowMs, pausedMs: granted ? 0 : pausedMs }), granted };
	}

	/**
	 * Settles a grant that came too late: it pays for the units taken alone in its place, or is
	 * given back.
	 */
	function settleLate(name: string, terms: BudgetTerms, late: LateGrant): void {
		if (late.alone && unsent.remove(name, late.alone)) return;
		const unused = { ...terms, atMs: late.atMs };
		// Should that fail, they leave with the window.
		returnUnits(db, keyOf(name), unused).catch(() => {});
	}

	return {
		async take(name, terms) {
			assertTerms(terms);
			const judged = own.judge(name, terms);
			if (!judged.granted) return judged;
			const refused = refusals.find(name, terms);
			if (refused) return refused;
			let taken: AloneTake | null = null;
			const shared = await ask(name, terms, (late) => {
				if (late?.granted) settleLate(name, terms, { atMs: late.nowMs, alone: taken });
			});
			const answer = shared ?? alone(own, name, terms);
			if (answer.granted) own.add(name, terms);
			else if (shared) refusals.add(name, terms, answer);
			if (answer.granted && !shared) taken = unsent.add(name, terms);
			return answer;
		},
		async pause(name, forMs) {
			assertPause(forMs);
			own.pause(name, forMs);
			if (timely.isAway()) return;
			const paused = () => pauseUnits(db, keyOf(name), { forMs, aheadMs: aheadMs() });
			await timely.ask(() => paused().then(() => true));
		},
	};
}

/**
 * Adds units to a window that were taken without it, each with its age; by primary key. They are
 * added whatever the window allows, because these calls were made. Oldest first, the order that
 * takes use.
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

/** Gives back the units of one take that was granted at `atMs` and not used; by primary key. */
export async function returnUnits(
	db: Queryable,
	key: Buffer,
	{ amount, shares = [], atMs }: Pick<BudgetTerms, "amount" | "shares"> & { atMs: number },
): Promise<void> {
	await db.execute(
		`update core.budget as kept set (taken_at, taken_of) = (
			select coalesce(array_agg(at order by n), '{}'), coalesce(array_agg(kinds order by n), '{}')
			from (
				select at, kinds, n, at = $2 and kinds = $3 as is_same,
					row_number() over (partition by at = $2 and kinds = $3 order by n) as nth
				from unnest(kept.taken_at, kept.taken_of) with ordinality as unit (at, kinds, n)
			) as unit
			where not (is_same and nth <= $4)
		) where key = $1`,
		[key, atMs, shares.map(({ of }) => of).join(" "), amount],
	);
}

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

/** Returns the key of a name. Any text is a name, also one that the database cannot hold. */
function keyOf(name: string): Buffer {
	return createHash("sha256").update(name).digest();
}

function alone(own: TakeLog, name: string, terms: BudgetTerms): BudgetAnswer {
	const quarter = (units: number) => Math.max(1, Math.floor(units / SHARE_ALONE_DIVISOR));
	const perWindow = quarter(terms.perWindow);
	const shares = terms.shares?.map(({ of, perWindow }) => ({ of, perWindow: quarter(perWindow) }));
	const answer = own.judge(name, { ...terms, perWindow, ...(shares && { shares }) });
	const least = Math.min(perWindow, ...(shares ?? []).map((share) => share.perWindow));
	if (terms.amount > least) return { ...answer, retryAfterMs: RETRY_ALONE_MS };
	// The whole window is there again as soon as the database is: nobody stands aside for longer.
	return { ...answer, retryAfterMs: Math.min(answer.retryAfterMs, AWAY_MS) };
}
