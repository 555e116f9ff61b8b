// Shares what X allows: the month's reads, and what may be sent in a window.

import type { Clock } from "#core/clock.ts";
import { Fault } from "#core/fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import { socialFault } from "#plugins/social/faults.ts";
import { AUTHOR_SHARE, SENDS_PER_WINDOW, URGENT_SHARE, WINDOW_MS } from "#plugins/social/limits.ts";
import {
	monthOf,
	readReads,
	readRecentReads,
	settleReads,
	takeReads,
} from "#plugins/social/sql/reads.ts";
import type { SocialReply } from "#plugins/social/sql/replies.ts";
import type { XWindow } from "#plugins/social/x/callX.ts";

/** Reports the billed items of an answer: `post:<id>`, `dm:<id>` and `user:<id>`. */
export type Used = (items: readonly string[]) => void;

export type ReadState = {
	/** The calendar month in UTC: 2026-03. */
	month: string;
	reads: number;
	readsMax: number;
	/**
	 * The time when the budget is used up at the rate of today and yesterday; null: not in this
	 * month.
	 */
	endsAt: Date | null;
};

/**
 * The monthly budget of reads on X, for all processes together. X bills each item in its answers,
 * authors too, once a UTC day.
 */
export type ReadBudget = {
	/**
	 * Makes a call that returns at most `atMost` items, if the month has room for all of them; the
	 * call reports what it got. Throws `rate_limited` where there is no room. A call that fails
	 * without a report counts fully: X may have answered. What X refused costs nothing.
	 */
	spend<Result>(atMost: number, call: (used: Used) => Promise<Result>): Promise<Result>;
	/** Counts items of a call that is made even if the budget is used up. */
	note(items: readonly string[]): Promise<void>;
	state(): Promise<ReadState>;
};

/** Counts what may be sent now. */
export type Room = {
	/** Counts texts about links and money; `plain` counts everything else. */
	urgent: number;
	plain: number;
	/** Limits what one author may get of the window; null while X has named no limit. */
	share: { since: Date; urgent: number; plain: number } | null;
};

export type Windows = {
	room(via: SocialReply["via"]): Room;
	/** Counts what is taken for sending, before X is called. */
	take(via: SocialReply["via"], count: number): void;
	/** Takes back that one is sent: X was not called. */
	giveBack(via: SocialReply["via"]): void;
	/** Records X's answer to one of them; `limitedUntilMs`: X refused it by its limit, until then. */
	answered(via: SocialReply["via"], told: XWindow | null, limitedUntilMs: number | null): void;
};

type Known = XWindow & { startMs: number };
type State = { known: Known | null; isAnswered: boolean; underWay: number };

/** Lists the faults that X does not bill: it answered without an item, or was not called. */
const UNBILLED = new Set([
	"rate_limited",
	"social_refused",
	"social_credential_missing",
	"social_token_refused",
]);

/** Waits for some time of reading before a forecast: a first page is no rate. */
const RATE_TIME_MIN_MS = HOUR_MS;

export function createReadBudget(
	{ db, clock, metrics }: Pick<Core, "db" | "clock" | "metrics">,
	readsMax: number,
): ReadBudget {
	const left = metrics.gauge({
		name: "social_reads_left",
		help: "What is left of SOCIAL_MONTHLY_READS_MAX.",
	});
	const ends = metrics.gauge({
		name: "social_reads_end_timestamp_seconds",
		help: "When the reads of this month end at the rate of today and yesterday; 0: not in it.",
	});

	async function settle(taken: number, items: readonly string[]): Promise<void> {
		await db.transaction((tx) => settleReads(tx, { at: new Date(clock.nowMs()), taken, items }));
		await state();
	}

	async function state(): Promise<ReadState> {
		const nowMs = clock.nowMs();
		const month = monthOf(nowMs);
		const reads = await readReads(db, month);
		const recent = await readRecentReads(db, new Date(nowMs));
		const endsAt = endOf({ left: readsMax - reads, recent, nowMs });
		left.set({}, Math.max(0, readsMax - reads));
		ends.set({}, endsAt === null ? 0 : endsAt.getTime() / 1_000);
		return { month: month.slice(0, 7), reads, readsMax, endsAt };
	}

	return {
		async spend(atMost, call) {
			const at = new Date(clock.nowMs());
			if (!(await takeReads(db, { at, reads: atMost, readsMax }))) {
				throw socialFault.limited({
					public: "The month's reads of X are used up.",
					members: { provider: "x", retryAfterMs: msToNextMonth(at.getTime()) },
				});
			}
			let items: readonly string[] | null = null;
			try {
				return await call((used) => {
					items = used;
				});
			} catch (error) {
				if (error instanceof Fault && UNBILLED.has(error.code)) items ??= [];
				throw error;
			} finally {
				if (items !== null) await settle(atMost, items);
			}
		},
		note: (items) => settle(0, items),
		state,
	};
}

/** Returns a sentence for operators: when the budget ends at this rate. */
export function forecastOf({ endsAt, reads, readsMax }: ReadState): string {
	if (reads >= readsMax)
		return "The month's reads are used up: polling reads nothing until the next.";
	if (endsAt === null) return "At this rate the budget lasts until the month ends.";
	return `At this rate the budget ends on ${endsAt.toISOString().slice(0, 10)}.`;
}

function endOf(given: {
	left: number;
	recent: { reads: number; since: Date } | null;
	nowMs: number;
}): Date | null {
	const { left, recent, nowMs } = given;
	if (left <= 0) return new Date(nowMs);
	if (recent === null || recent.reads <= 0) return null;
	const sinceMs = Math.max(recent.since.getTime(), nowMs - 2 * DAY_MS);
	const forMs = Math.max(RATE_TIME_MIN_MS, nowMs - sinceMs);
	const untilMs = (left * forMs) / recent.reads;
	return untilMs >= msToNextMonth(nowMs) ? null : new Date(Math.floor(nowMs + untilMs));
}

function msToNextMonth(nowMs: number): number {
	const now = new Date(nowMs);
	return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - nowMs;
}

/**
 * Keeps what X says of its limits, with each answer to a post or message. Until its first answer
 * one reply is sent at a time: a queue that began with one author's forty messages would use up the
 * window before anybody knew of it.
 */
export function createWindows(clock: Clock): Windows {
	const of = (): State => ({ known: null, isAnswered: false, underWay: 0 });
	const states = { post: of(), dm: of() };

	/** Returns the window of now: where the last one ended, a whole new one. */
	function windowOf(state: State): Known | null {
		const { known } = state;
		const nowMs = clock.nowMs();
		if (known === null || known.endsMs > nowMs) return known;
		state.known = { ...known, left: known.max, startMs: nowMs, endsMs: nowMs + WINDOW_MS };
		return state.known;
	}

	return {
		room(via) {
			const state = states[via];
			const window = windowOf(state);
			if (window === null) {
				const most = state.isAnswered ? Number.MAX_SAFE_INTEGER : 1 - state.underWay;
				return { urgent: most, plain: most, share: null };
			}
			const { max, left, startMs } = window;
			const kept = Math.ceil(max * URGENT_SHARE);
			return {
				urgent: left,
				plain: left - kept,
				share: {
					since: new Date(startMs),
					urgent: Math.max(1, Math.floor(max / 2)),
					plain: Math.max(1, Math.floor(max * AUTHOR_SHARE)),
				},
			};
		},
		take(via, count) {
			const state = states[via];
			state.underWay += count;
			if (state.known !== null) state.known.left = Math.max(0, state.known.left - count);
		},
		giveBack(via) {
			const state = states[via];
			state.underWay = Math.max(0, state.underWay - 1);
			if (state.known !== null) {
				state.known.left = Math.min(state.known.max, state.known.left + 1);
			}
		},
		answered(via, told, limitedUntilMs) {
			const state = states[via];
			state.isAnswered = true;
			state.underWay = Math.max(0, state.underWay - 1);
			const nowMs = clock.nowMs();
			const isLimited = limitedUntilMs !== null;
			// X names the end of its limit more often than the limit.
			const silent = isLimited
				? { max: SENDS_PER_WINDOW[via], left: 0, endsMs: limitedUntilMs }
				: null;
			const next = told ?? (state.known === null ? silent : null);
			if (next === null) return;
			const isSame = state.known !== null && Math.abs(state.known.endsMs - next.endsMs) < 2_000;
			const before = isSame ? state.known : null;
			// Answers arrive in any order, and some are under way: what is left only falls.
			const left = Math.min(next.left, before?.left ?? next.left - state.underWay);
			const startMs = before?.startMs ?? Math.min(nowMs, next.endsMs - WINDOW_MS);
			state.known = { ...next, left: isLimited ? 0 : Math.max(0, left), startMs };
		},
	};
}
