import { burstOf } from "#core/chain/rpc/budget/burstOf.ts";
import type { CallTimeline } from "#core/chain/rpc/budget/CallTimeline.ts";
import type { RateLearner } from "#core/chain/rpc/budget/createRateLearner.ts";
import type { Turns } from "#core/chain/rpc/budget/createTurns.ts";
import { SLICE_KEPT_MS, SLICE_MS } from "#core/chain/rpc/budget/limits.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { sleep } from "#core/time/sleep.ts";

/** Calls that this process reserved: the n-th may be sent n call times after the start. */
type Slice = { startMs: number; perSecond: number; calls: number; used: number };

export type Serving = {
	clock: Clock;
	timeline: CallTimeline;
	wait: typeof sleep;
	turns: Turns;
	learner: RateLearner;
	sent: { add(calls: number, nowMs: number): void };
	/** Tells other processes what was learned. */
	note(pauseMs: number): void;
	isServing: boolean;
	slice: Slice | null;
	pausedUntilMs: number;
	/** Ends a wait, because conditions changed. */
	wake: AbortController;
};

/** Serves waiting callers, each at its time, until none waits. One run at a time per budget. */
export async function serveTurns(serving: Serving): Promise<void> {
	if (serving.isServing) return;
	serving.isServing = true;
	try {
		while (serving.turns.wanted() > 0) await step(serving);
	} finally {
		// In the same step as the last check: a later caller sees that nothing runs, and begins.
		serving.isServing = false;
	}
}

async function step(serving: Serving): Promise<void> {
	const { clock, learner, sent, turns, wait } = serving;
	if (serving.wake.signal.aborted) serving.wake = new AbortController();
	const nowMs = clock.nowMs();
	const perSecond = learner.perSecond(nowMs);
	const pauseMs = serving.pausedUntilMs - nowMs;
	if (pauseMs > 0) await wait(pauseMs, serving.wake.signal);
	else if (perSecond === null) sent.add(turns.serve(Number.POSITIVE_INFINITY), nowMs);
	else if (!isUsable(serving.slice, nowMs)) serving.slice = await reserve(serving, perSecond);
	else await serveFrom(serving.slice, serving, nowMs);
}

/** The rounding error of adding fractions of a millisecond, as a part of a call. */
const ROUNDING = 1e-6;

async function serveFrom(slice: Slice, serving: Serving, nowMs: number): Promise<void> {
	const { turns, learner, sent, note, wait } = serving;
	const { burst, callMs } = burstOf(slice.perSecond);
	const passed = Math.floor((nowMs - slice.startMs) / callMs + ROUNDING) + 1;
	// Time that passed unused is lost: other calls have begun, and a second must not contain more.
	slice.used += Math.max(passed - slice.used - burst, 0);
	const left = slice.calls - slice.used;
	// Several calls in one request are better than one each, unless they are urgent.
	const aim = turns.isUrgent() ? 1 : Math.min(burst, left, turns.wanted());
	const nextMs = slice.startMs + (slice.used + aim - 1) * callMs;
	if (left > 0 && nextMs > nowMs) {
		return wait(Math.max(nextMs - nowMs, 1), serving.wake.signal);
	}
	const used = turns.serve(Math.min(left, Math.max(passed - slice.used, aim)));
	slice.used += used;
	sent.add(used, nowMs);
	if (turns.wanted() > 0 && learner.wasBusy(nowMs)) note(0);
}

async function reserve(serving: Serving, perSecond: number): Promise<Slice> {
	const { clock, learner, timeline, turns } = serving;
	const most = Math.max(1, Math.floor((perSecond * SLICE_MS) / 1_000));
	const calls = Math.min(turns.wanted(), most);
	const reserved = await timeline.reserve(calls, perSecond);
	const nowMs = clock.nowMs();
	if (reserved.learned) learner.adopt(reserved.learned, nowMs);
	return { startMs: nowMs + reserved.inMs, perSecond: reserved.perSecond, calls, used: 0 };
}

/** Returns whether a slice has calls left and is not over. */
function isUsable(slice: Slice | null, nowMs: number): slice is Slice {
	if (!slice || slice.used >= slice.calls) return false;
	const endMs = slice.startMs + slice.calls * burstOf(slice.perSecond).callMs;
	return nowMs <= endMs + SLICE_KEPT_MS;
}
