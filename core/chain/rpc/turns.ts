// Queues callers of one endpoint, the most urgent first, and serves them in time.

import { type RpcRank, rpcFault } from "#core/chain/rpc/Rpc.ts";
import {
	burstOf,
	type CallTimeline,
	LEAST_SHARE,
	type RateLearner,
	SLICE_KEPT_MS,
	SLICE_MS,
	TURN_WAIT_MAX_MS,
} from "#core/chain/rpc/timelines.ts";
import type { Clock } from "#core/clock.ts";
import type { sleep } from "#core/time.ts";

/** Says how urgent a call is, and how its caller gives up. */
export type CallTurn = { rank: RpcRank; signal?: AbortSignal | undefined };

/** A waiting caller; `grant` is called once, with at least one call. */
export type Waiting = { calls: number; rank: RpcRank; grant(calls: number): void };

export type Turns = {
	add(waiting: Waiting): void;
	/** Removes a caller that gave up. */
	remove(waiting: Waiting): void;
	/** Returns whether a caller of the first rank waits. */
	isUrgent(): boolean;
	/** Returns the number of calls that are waited for. */
	wanted(): number;
	/**
	 * Grants at most this many calls; returns how many. A caller that got a part asks again for the
	 * rest.
	 */
	serve(calls: number): number;
};

export type Serving = {
	clock: Clock;
	timeline: CallTimeline;
	wait: typeof sleep;
	turns: Turns;
	learner: RateLearner;
	sent: { add(calls: number, nowMs: number): void };
	/** Shares the learned rate with other processes. */
	note(pauseMs: number): void;
	isServing: boolean;
	slice: Slice | null;
	pausedUntilMs: number;
	/** Ends a wait, because conditions changed. */
	wake: AbortController;
};

/** Calls that this process reserved: the n-th may be sent n call times after the start. */
type Slice = { startMs: number; perSecond: number; calls: number; used: number };

const RANKS: readonly RpcRank[] = [1, 2, 3, 4, 5];

/** The rounding error of adding fractions of a millisecond, as a part of a call. */
const ROUNDING = 1e-6;

/**
 * Makes the queue of callers: the lowest rank first, and within a rank in order of arrival. Each
 * other waiting rank has a claim to a twentieth of what is served meanwhile, and gets it as soon as
 * that is a whole call: so none starves, and the first rank keeps at least four fifths.
 */
export function createTurns(): Turns {
	const queues = new Map<RpcRank, Waiting[]>(RANKS.map((rank) => [rank, []]));
	const owed = new Map<RpcRank, number>();
	const queueOf = (rank: RpcRank) => queues.get(rank) ?? [];

	return {
		add: (waiting) => void queueOf(waiting.rank).push(waiting),
		remove(waiting) {
			const queue = queueOf(waiting.rank);
			const place = queue.indexOf(waiting);
			if (place >= 0) queue.splice(place, 1);
		},
		isUrgent: () => queueOf(1).length > 0,
		wanted() {
			let sum = 0;
			for (const queue of queues.values()) for (const { calls } of queue) sum += calls;
			return sum;
		},
		serve(calls) {
			let left = calls;
			while (left > 0) {
				const next = nextOf();
				if (!next) break;
				const [first] = queueOf(next.rank).splice(0, 1);
				if (!first) break;
				const granted = Math.min(first.calls, left, next.most);
				left -= granted;
				settle(next.rank, granted);
				first.grant(granted);
			}
			return calls - left;
		},
	};

	function nextOf(): { rank: RpcRank; most: number } | null {
		const waiting = RANKS.filter((rank) => queueOf(rank).length > 0);
		const [first] = waiting;
		if (first === undefined) return null;
		const due = waiting.slice(1).find((rank) => (owed.get(rank) ?? 0) >= 1);
		if (due !== undefined) return { rank: due, most: Math.floor(owed.get(due) ?? 1) };
		// Cut where another rank becomes due: a large batch must not delay what is owed.
		const nearest = Math.max(0, ...waiting.slice(1).map((rank) => owed.get(rank) ?? 0));
		const isAlone = waiting.length === 1;
		return { rank: first, most: isAlone ? Infinity : Math.ceil((1 - nearest) / LEAST_SHARE) };
	}

	/** Charges the served rank and credits the waiting; a rank without callers gets no credit. */
	function settle(served: RpcRank, granted: number): void {
		for (const rank of RANKS) {
			if (queueOf(rank).length === 0 && rank !== served) owed.delete(rank);
			else if (rank !== served) owed.set(rank, (owed.get(rank) ?? 0) + granted * LEAST_SHARE);
		}
		owed.set(served, Math.max((owed.get(served) ?? 0) - granted, 0));
	}
}

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

/**
 * Waits in the queue for a turn; returns how many calls were granted. Fails as a silence that is
 * not the endpoint's fault if the signal aborts or the turn takes too long, and then calls
 * `onLeft`.
 */
export function waitForTurn(
	turns: Turns,
	calls: number,
	{ rank, signal }: CallTurn,
	onLeft: () => void,
): Promise<number> {
	return new Promise((resolve, reject) => {
		if (signal?.aborted) return reject(noTurn("it was given up"));
		const waiting: Waiting = {
			calls,
			rank,
			grant(granted) {
				end();
				resolve(granted);
			},
		};
		const timer = setTimeout(() => leave("too many wait for it"), TURN_WAIT_MAX_MS);
		const onAbort = () => leave("it was given up");
		signal?.addEventListener("abort", onAbort, { once: true });
		turns.add(waiting);

		function leave(why: string) {
			turns.remove(waiting);
			end();
			onLeft();
			reject(noTurn(why));
		}
		function end() {
			clearTimeout(timer);
			signal?.removeEventListener("abort", onAbort);
		}
	});
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

/** Returns whether a slice has calls left and is not over. */
function isUsable(slice: Slice | null, nowMs: number): slice is Slice {
	if (!slice || slice.used >= slice.calls) return false;
	const endMs = slice.startMs + slice.calls * burstOf(slice.perSecond).callMs;
	return nowMs <= endMs + SLICE_KEPT_MS;
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

function noTurn(why: string) {
	return rpcFault.transport({ detail: `waiting for a turn: ${why}`, meta: { paced: true } });
}
