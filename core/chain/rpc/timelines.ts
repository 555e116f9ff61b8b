// Learns an endpoint's rate limit, and reserves its time for all processes.

import { createHash } from "node:crypto";
import type { Clock } from "#core/clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import { createTimely } from "#core/db/openGatheringSocket.ts";

/** Learned calls per second, with the number of the change; null if unknown. */
export type LearnedRate = { perSecond: number; version: number };

export type Reservation = {
	/** The wait until the first of the reserved calls may be sent; below 0 if unused time remains. */
	inMs: number;
	/** The rate that the reservation was computed with. */
	perSecond: number;
	/** The rate that all processes learned, if they share it. */
	learned: LearnedRate | null;
};

/**
 * The time of an endpoint, in which each call takes a slice: a reserved slice may be used, and the
 * next one begins where it ends.
 */
export type CallTimeline = {
	/** `perSecond` applies unless another process has learned another rate. */
	reserve(calls: number, perSecond: number): Reservation | Promise<Reservation>;
	/** Stores a learned rate, and a pause for all. Never fails. */
	note(learned: LearnedRate, pauseMs: number): void;
};

/** Calls of the last second: sent, and answered. */
export type LastSecond = { sent: number; answered: number };

export type RateLearner = {
	/** Returns the calls per second; null while nothing limits. */
	perSecond(nowMs: number): number | null;
	/** Reports a refusal for the rate; returns whether that changed the rate. */
	refused(nowMs: number, last: LastSecond): boolean;
	/** Reports that calls waited, and none was refused; returns whether that changed the rate. */
	wasBusy(nowMs: number): boolean;
	/** Takes over what another process learned. */
	adopt(learned: LearnedRate, nowMs: number): void;
	version(): number;
};

export type ReservedCalls = {
	in_ms: number;
	per_second: number;
	/** The version of the rate that all processes learned; null if none was learned recently. */
	version: number | null;
};

/** The share of an endpoint's limit that is used steadily; the rest is for bursts. */
export const STEADY_SHARE = 0.95;

/** The least share of each waiting rank. */
export const LEAST_SHARE = 0.05;

/**
 * The part of an endpoint's time that a process reserves at once; others wait for it at most this
 * long.
 */
export const SLICE_MS = 200;

/** An unused slice is dropped this long after its end. */
export const SLICE_KEPT_MS = 100;

/** The longest wait for a turn; after it another endpoint, or a later try, is better. */
export const TURN_WAIT_MAX_MS = 30_000;

/** The pause after a refusal without a time, and the longest pause whatever a node says. */
export const PAUSE_MIN_MS = 1_000;
export const PAUSE_MAX_MS = 30_000;

/** The lowest learned rate, in calls per second: so that it is learned again within seconds. */
export const LEARNED_PER_SECOND_MIN = 1;

/**
 * The least and most of the rate to which a refusal lowers it; in between, what was answered in the
 * last second.
 */
export const LOWERED_LEAST = 0.5;
export const LOWERED_MOST = 0.8;

/** The number of calls below which a first refusal shows little about the limit. */
export const FIRST_REFUSED_LEAST = 20;

/**
 * Each second with waiting calls and no refusal raises the rate by this part, or by this many
 * calls.
 */
export const RAISED_BY = 0.1;
export const RAISED_LEAST = 1;

/** The rate stays this far below the last refused one … */
export const BELOW_REFUSED = 0.95;
/** … for this long; twice as long each time that about the same rate is refused, up to the last. */
export const HOLD_MIN_MS = 5_000;
export const HOLD_MAX_MS = 10 * 60_000;
export const SAME_RATE = 0.2;

/** The time without a refusal after which the learned rate is dropped. */
export const LEARNED_KEPT_MS = 30 * 60_000;

/** A process's share of the rate while the database does not answer. */
export const SHARE_ALONE = 0.25;
/** Limits how long a process waits for the database when it reserves calls. */
export const RESERVE_TIMEOUT_MS = 500;
/** The time for which the database is not asked again after a failure. */
export const AWAY_MS = 5_000;

/** Limits how often a rate-limited request is repeated if a chain has only one endpoint. */
export const TRIES_ALONE_MAX = 4;
/** The longest pause before that. */
export const PAUSE_ALONE_MAX_MS = 5_000;

const CHANGE_EVERY_MS = 1_000;

const NOW = "select extract(epoch from clock_timestamp())::float8 * 1000 as ms";

/**
 * Makes the learner of an endpoint's rate limit, below the operator's limit, if there is one.
 *
 * It uses additive increase and multiplicative decrease: a node's limit is an unknown rate, perhaps
 * shared with others, and this rule finds it and shares it evenly. After a refusal the rate is what
 * was answered in the last second; refusals of one second count once. Just below the refused rate
 * it stops for a while, twice as long each time, because each try above costs a refusal.
 */
export function createRateLearner(perSecondMax: number | null): RateLearner {
	let learned: number | null = null;
	let version = 0;
	let refusedRate = Number.POSITIVE_INFINITY;
	let refusedAtMs = Number.NEGATIVE_INFINITY;
	let changedAtMs = Number.NEGATIVE_INFINITY;
	let holdMs = HOLD_MIN_MS;

	return {
		perSecond(nowMs) {
			if (learned !== null && nowMs - refusedAtMs > LEARNED_KEPT_MS) learned = null;
			return learned ?? perSecondMax;
		},
		refused(nowMs, { sent, answered }) {
			const isSameVolley = nowMs - refusedAtMs < CHANGE_EVERY_MS;
			refusedAtMs = nowMs;
			if (isSameVolley) return false;
			const rate =
				learned ?? Math.min(perSecondMax ?? Infinity, Math.max(sent, FIRST_REFUSED_LEAST));
			// A node that answers nothing shows nothing about its rate.
			const isSame =
				answered > LOWERED_LEAST * rate && Math.abs(rate - refusedRate) <= SAME_RATE * refusedRate;
			holdMs = isSame ? Math.min(holdMs * 2, HOLD_MAX_MS) : HOLD_MIN_MS;
			refusedRate = rate;
			const kept = Math.min(Math.max(answered, LOWERED_LEAST * rate), LOWERED_MOST * rate);
			set(Math.max(kept, LEARNED_PER_SECOND_MIN), nowMs);
			return true;
		},
		wasBusy(nowMs) {
			if (learned === null || nowMs - changedAtMs < CHANGE_EVERY_MS) return false;
			const isHeld = nowMs - refusedAtMs < holdMs;
			const most = Math.min(
				isHeld ? Math.max(BELOW_REFUSED * refusedRate, LEARNED_PER_SECOND_MIN) : Infinity,
				perSecondMax ?? Infinity,
			);
			const raised = Math.min(learned + Math.max(learned * RAISED_BY, RAISED_LEAST), most);
			if (raised <= learned) return false;
			set(raised, nowMs);
			return true;
		},
		adopt(other, nowMs) {
			if (other.version < version || other.perSecond === learned) return;
			if (learned === null || other.perSecond < learned) refusedAtMs = nowMs;
			learned = Math.min(other.perSecond, perSecondMax ?? Infinity);
			changedAtMs = nowMs;
			version = other.version;
		},
		version: () => version,
	};

	function set(perSecond: number, nowMs: number): void {
		learned = perSecond;
		changedAtMs = nowMs;
		version++;
	}
}

/**
 * Makes an endpoint's timeline that all processes on one database share: one statement per slice.
 * While the database does not answer each process uses a quarter of the rate.
 */
export function sharedTimeline(options: {
	/** Returns null while the service has no database yet. */
	db(): Queryable | null;
	/** Identifies the endpoint in all processes: only its hash is stored. */
	name: string;
	clock: Clock;
}): CallTimeline {
	const { clock } = options;
	const key = createHash("sha256").update(options.name).digest();
	const alone = localTimeline(clock);
	const timely = createTimely({ clock, timeoutMs: RESERVE_TIMEOUT_MS, awayMs: AWAY_MS });

	return {
		async reserve(calls, perSecond) {
			const row = await inTime((db) => reserveCalls(db, key, { calls, perSecond }));
			if (!row) return alone.reserve(calls, perSecond * SHARE_ALONE);
			const { in_ms: inMs, per_second: used, version } = row;
			const learned = version === null ? null : { perSecond: used, version };
			return { inMs, perSecond: used, learned } satisfies Reservation;
		},
		note(learned, pauseMs) {
			alone.note(learned, pauseMs);
			void inTime((db) => noteRate(db, key, { ...learned, pauseMs }).then(() => true));
		},
	};

	/** Asks the database; returns null if it does not answer in time, or recently did not. */
	async function inTime<Answer>(ask: (db: Queryable) => Promise<Answer>): Promise<Answer | null> {
		const db = options.db();
		return db && !timely.isAway() ? timely.ask(() => ask(db)) : null;
	}
}

/** Makes an endpoint's timeline for this process alone. */
export function localTimeline(clock: Clock): CallTimeline {
	let nextAtMs = Number.NEGATIVE_INFINITY;
	return {
		reserve(calls, perSecond) {
			const nowMs = clock.nowMs();
			const { callMs, creditMs } = burstOf(perSecond);
			const startMs = Math.max(nextAtMs, nowMs - creditMs);
			nextAtMs = startMs + calls * callMs;
			return { inMs: startMs - nowMs, perSecond, learned: null };
		},
		note(_, pauseMs) {
			nextAtMs = Math.max(nextAtMs, clock.nowMs() + pauseMs);
		},
	};
}

/**
 * Returns how many calls may be sent at once, how much of the endpoint's time each takes, and how
 * much unused time counts. With `burst` calls at once, and then one every `callMs`, no second
 * contains more than `perSecond`, wherever it begins.
 */
export function burstOf(perSecond: number) {
	const burst = Math.max(1, Math.floor(perSecond * (1 - STEADY_SHARE)));
	const callMs = 1_000 / (perSecond * STEADY_SHARE);
	return { burst, callMs, creditMs: (burst - 1) * callMs };
}

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
