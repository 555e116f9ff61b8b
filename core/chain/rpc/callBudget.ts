// Limits the calls to one endpoint to what it allows.

import { RPC_PURPOSES, type RpcCall, type RpcOptions } from "#core/chain/rpc/Rpc.ts";
import {
	type CallTimeline,
	createRateLearner,
	PAUSE_ALONE_MAX_MS,
	PAUSE_MAX_MS,
	PAUSE_MIN_MS,
	TRIES_ALONE_MAX,
} from "#core/chain/rpc/timelines.ts";
import {
	type CallTurn,
	createTurns,
	type Serving,
	serveTurns,
	waitForTurn,
} from "#core/chain/rpc/turns.ts";
import type { Clock } from "#core/clock.ts";
import { Fault } from "#core/fault.ts";
import { sleep } from "#core/time.ts";

/** The rate limit of one endpoint, shared by all its users. */
export type CallBudget = {
	/**
	 * Returns how many of these calls may be sent now: at least one; the caller asks again for the
	 * rest. A number directly if nothing limits; else a promise that waits for its turn, and fails as
	 * silence if the signal aborts or the turn is too far away.
	 */
	take(calls: number, asked: CallTurn): number | Promise<number>;
	/** Reports that a request of this many calls was answered. */
	answered(calls: number): void;
	/** Reports a refusal for the rate, with its retry time or 0; returns the pause in ms. */
	refused(retryAfterMs: number): number;
	/** Returns whether a limit applies now. */
	isLimited(): boolean;
	/** Reports calls that were sent another way (a socket): they use up the same limit. */
	spent(calls: number): void;
};

export type CallBudgetOptions = {
	clock: Clock;
	timeline: CallTimeline;
	/** The operator's limit, in calls per second. */
	perSecondMax: number | null;
	wait?: typeof sleep;
};

type Paying = Pick<RpcOptions, "purpose" | "signal" | "inOrder"> & {
	budget?: CallBudget | undefined;
	/** True without another endpoint: then a rate-limited request is repeated. */
	isAlone?: boolean | undefined;
};

type Granted = Paying & { budget: CallBudget; turn: CallTurn };

/** Limits the requests of one batch that are under way: their answers wait in memory. */
const PARTS_AT_ONCE_MAX = 8;

const SLOTS = 10;
const SLOT_MS = 100;

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

/** Makes a counter of the last second, to a tenth of one. */
export function createLastSecond(): {
	add(count: number, nowMs: number): void;
	sum(nowMs: number): number;
} {
	const counts = new Float64Array(SLOTS);
	let newest = 0;

	/** Clears slots older than a second; if the clock was set back, all. */
	function moveTo(nowMs: number): void {
		const slot = Math.floor(nowMs / SLOT_MS);
		const passed = slot - newest;
		if (passed < 0 || passed >= SLOTS) counts.fill(0);
		else for (let step = 1; step <= passed; step++) counts[(newest + step) % SLOTS] = 0;
		newest = slot;
	}
	return {
		add(count, nowMs) {
			moveTo(nowMs);
			const place = newest % SLOTS;
			counts[place] = (counts[place] ?? 0) + count;
		},
		sum(nowMs) {
			moveTo(nowMs);
			return counts.reduce((sum, count) => sum + count, 0);
		},
	};
}

/**
 * Sends a batch in as many parts as the budget grants; returns answers in the order of the calls.
 * Parts are sent at their turns, without waiting for the answers of those before, unless the batch
 * has to be answered in order: else a far endpoint's round trips would use up what it allows.
 *
 * A rate-limit refusal teaches the budget; without another endpoint it waits for a short pause,
 * because the answered parts were already paid for.
 */
export async function payCalls<Answer>(
	calls: readonly RpcCall[],
	paying: Paying,
	put: (part: readonly RpcCall[]) => Promise<Answer[]>,
): Promise<Answer[]> {
	const { budget, purpose = "other", signal } = paying;
	if (!budget) return put(calls);
	const turn = { rank: RPC_PURPOSES[purpose], signal };
	const taken = budget.take(calls.length, turn);
	// If nothing limits, the list is not copied.
	const granted = typeof taken === "number" ? taken : await taken;
	const given = { ...paying, budget, turn };
	if (granted >= calls.length) return putPart(calls, given, put, 1);
	return payParts(calls, given, put, { granted, tries: 1 });
}

/** Sends calls of which the first are granted already; the rest wait for their turns. */
async function payParts<Answer>(
	calls: readonly RpcCall[],
	paying: Granted,
	put: (part: readonly RpcCall[]) => Promise<Answer[]>,
	{ granted: first, tries }: { granted: number; tries: number },
): Promise<Answer[]> {
	const { budget, inOrder } = paying;
	const ended = new AbortController();
	const signal = AbortSignal.any([
		ended.signal,
		...(paying.turn.signal ? [paying.turn.signal] : []),
	]);
	const turn = { ...paying.turn, signal };
	const parts: Promise<Answer[]>[] = [];
	const open = new Set<Promise<unknown>>();
	try {
		for (let at = 0, granted = first; ; ) {
			const part = putPart(calls.slice(at, at + granted), { ...paying, turn }, put, tries);
			parts.push(part);
			at += granted;
			if (at >= calls.length) return (await Promise.all(parts)).flat();
			const done = part.finally(() => open.delete(done));
			open.add(done);
			// After a failure the rest is not needed, and its place in the queue is given up.
			done.catch(() => ended.abort());
			if (inOrder) await part;
			if (open.size >= PARTS_AT_ONCE_MAX) await Promise.race(open);
			granted = await budget.take(calls.length - at, turn);
		}
	} catch (error) {
		ended.abort();
		// The part that failed says more than the turn that was given up for it.
		await Promise.all(parts);
		throw error;
	}
}

/** Sends calls that are granted; after a refusal for the rate, again if that is worth it. */
async function putPart<Answer>(
	calls: readonly RpcCall[],
	paying: Granted,
	put: (part: readonly RpcCall[]) => Promise<Answer[]>,
	tries: number,
): Promise<Answer[]> {
	const { budget, turn, isAlone } = paying;
	try {
		const answered = await put(calls);
		budget.answered(calls.length);
		return answered;
	} catch (error) {
		const pauseMs = pauseAfter(error, budget);
		const isWorthIt = isAlone === true && pauseMs !== null && pauseMs <= PAUSE_ALONE_MAX_MS;
		if (!isWorthIt || tries >= TRIES_ALONE_MAX || turn.signal?.aborted) throw error;
	}
	const granted = await budget.take(calls.length, turn);
	return payParts(calls, paying, put, { granted, tries: tries + 1 });
}

/** Returns the pause in ms, by the node or by us; null if the refusal is not about the rate. */
function pauseAfter(error: unknown, budget: CallBudget): number | null {
	if (!(error instanceof Fault) || error.meta["rateLimited"] !== true) return null;
	const { retryAfterMs } = error.meta;
	const toldMs = typeof retryAfterMs === "number" ? retryAfterMs : 0;
	return Math.max(budget.refused(toldMs), toldMs);
}
