import type { CallBudget } from "#core/chain/rpc/budget/CallBudget.ts";
import type { CallTimeline } from "#core/chain/rpc/budget/CallTimeline.ts";
import { createLastSecond } from "#core/chain/rpc/budget/createLastSecond.ts";
import { createRateLearner } from "#core/chain/rpc/budget/createRateLearner.ts";
import { createTurns } from "#core/chain/rpc/budget/createTurns.ts";
import { PAUSE_MAX_MS, PAUSE_MIN_MS } from "#core/chain/rpc/budget/limits.ts";
import { type Serving, serveTurns } from "#core/chain/rpc/budget/serveTurns.ts";
import { waitForTurn } from "#core/chain/rpc/budget/waitForTurn.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { sleep } from "#core/time/sleep.ts";

export type CallBudgetOptions = {
	clock: Clock;
	timeline: CallTimeline;
	/** The operator's limit, in calls per second. */
	perSecondMax: number | null;
	wait?: typeof sleep;
};

/**
 * Makes the budget of one endpoint: the operator's limit, or what its refusals taught.
 *
 * Without either a take is two additions. Else calls take turns (`createTurns`) for slices of the
 * endpoint's time, which all processes reserve one after the other.
 */
export function createCallBudget(options: CallBudgetOptions): CallBudget {
	const { clock, timeline, perSecondMax, wait = sleep } = options;
	const turns = createTurns();
	const learner = createRateLearner(perSecondMax);
	const sent = createLastSecond();
	const answered = createLastSecond();
	const note = (pauseMs: number) => {
		const perSecond = learner.perSecond(clock.nowMs());
		if (perSecond !== null) timeline.note({ perSecond, version: learner.version() }, pauseMs);
	};
	const serving: Serving = {
		...{ clock, timeline, wait, turns, learner, sent, note },
		isServing: false,
		slice: null,
		pausedUntilMs: Number.NEGATIVE_INFINITY,
		wake: new AbortController(),
	};
	/** Refusals since the last answer; those of one pause count once. */
	let refusals = 0;

	return {
		take(calls, asked) {
			const nowMs = clock.nowMs();
			if (!serving.isServing && learner.perSecond(nowMs) === null) {
				sent.add(calls, nowMs);
				return calls;
			}
			const turn = waitForTurn(turns, calls, asked, () => {
				if (turns.wanted() === 0) serving.wake.abort();
			});
			// The rank served now may be waiting to send several calls at once.
			if (asked.rank === 1) serving.wake.abort();
			void serveTurns(serving);
			return turn;
		},
		answered(calls) {
			answered.add(calls, clock.nowMs());
			refusals = 0;
		},
		refused(retryAfterMs) {
			const nowMs = clock.nowMs();
			if (nowMs >= serving.pausedUntilMs) refusals++;
			const backoffMs = PAUSE_MIN_MS * 2 ** Math.min(refusals - 1, 10);
			// After a refusal, a retry time of 0 is not followed.
			const pauseMs = Math.min(retryAfterMs > 0 ? retryAfterMs : backoffMs, PAUSE_MAX_MS);
			serving.pausedUntilMs = Math.max(serving.pausedUntilMs, nowMs + pauseMs);
			serving.slice = null;
			const last = { sent: sent.sum(nowMs), answered: answered.sum(nowMs) };
			if (learner.refused(nowMs, last)) note(pauseMs);
			return serving.pausedUntilMs - nowMs;
		},
		isLimited: () => learner.perSecond(clock.nowMs()) !== null,
		spent(calls) {
			const nowMs = clock.nowMs();
			const perSecond = learner.perSecond(nowMs);
			sent.add(calls, nowMs);
			if (perSecond !== null) void timeline.reserve(calls, perSecond);
		},
	};
}
