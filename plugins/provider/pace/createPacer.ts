// Decides when a call to the provider may begin.

import type { Budget, BudgetAnswer } from "#core/budget/Budget.ts";
import type { Clock } from "#core/clock.ts";
import type { sleep } from "#core/time.ts";
import type { ProviderPurpose } from "#plugins/provider/contract.ts";
import {
	BACKGROUND_UNDER_WAY_MAX,
	BLOCK_DEFAULT_MAX_MS,
	BLOCK_DEFAULT_MS,
	BLOCK_WAITED_OUT_MS,
	CALL_DISTANCE_MS,
	CALLS_UNDER_WAY_MAX,
} from "#plugins/provider/limits.ts";
import {
	type Bucket,
	type CallQueue,
	createCallQueue,
	isBackground,
	type Turn,
	termsOf,
	tooOften,
	type Waiting,
} from "#plugins/provider/pace/createCallQueue.ts";

/** Holds how long the provider has asked us to wait, by bucket. */
export type Blocks = {
	leftMs(bucket: Bucket): number;
	/** Records a refusal; `ms` is the wait in its answer. Returns for how long to wait, in ms. */
	refuse(bucket: Bucket, ms: number | null): number;
	/** Records an answer, which may say that it was the last one allowed for now. */
	pass(bucket: Bucket, ms: number | null): void;
};

/** Places for calls under way, each of which may hold a whole body in memory. */
export type Places = {
	has(purpose: ProviderPurpose): boolean;
	/** Takes a place; the returned function gives it back, once. */
	take(purpose: ProviderPurpose): () => void;
};

export type Pacer = {
	/** Waits until a call may begin; returns a function that must be called when the call is over. */
	turn(turn: Turn): Promise<() => void>;
};

type State = { untilMs: number; lengthMs: number; refusals: number };

/**
 * Makes the pacer, which decides when a call may begin: one each 250 ms in this process and 120 a
 * minute for the key, clients before the background. A page's or a buyer's call waits up to three
 * seconds; all others, and longer waits, are refused at once. Each purpose has a share of the limit
 * (`termsOf`): otherwise scheduled work could always come too late, and searches could use up what
 * buyers need.
 */
export function createPacer(options: {
	/** The name of the shared budget, equal in every process that uses this key. */
	budgetName: string;
	budget: Budget;
	blocks: Blocks;
	clock: Clock;
	wait: typeof sleep;
}): Pacer {
	const { budgetName, budget, blocks, clock, wait } = options;
	const queue = createCallQueue();
	const places = createPlaces();
	let startedAtMs = Number.NEGATIVE_INFINITY;
	let isPumping = false;
	/** Ends the present wait: a new call may begin before those that are waited for. */
	let waking = new AbortController();

	function look(): void {
		waking.abort();
		void pump();
	}

	/** Begins all calls that may begin, until none waits or all wait for another one to end. */
	async function pump(): Promise<void> {
		if (isPumping) return;
		isPumping = true;
		try {
			for (;;) {
				failBlocked(queue, blocks);
				const waitMs = untilNextMs();
				if (waitMs === null) return;
				waking = new AbortController();
				if (waitMs > 0) await wait(waitMs, waking.signal);
				else await begin();
			}
		} catch (error) {
			for (const waiting of queue.waiting()) queue.drop(waiting, error);
		} finally {
			isPumping = false;
		}
	}

	/**
	 * Returns when to check again, in ms, 0 for now; null where the end of a call, or a new call,
	 * will cause it.
	 */
	function untilNextMs(): number | null {
		const left = queue.waiting().filter(({ purpose }) => places.has(purpose));
		if (left.length === 0) return null;
		const sinceMs = clock.nowMs() - startedAtMs;
		// After the clock was set back there is no distance to keep.
		const paceMs = sinceMs < 0 ? 0 : Math.max(CALL_DISTANCE_MS - sinceMs, 0);
		return Math.max(paceMs, Math.min(...left.map(standsAsideMs)));
	}

	const standsAsideMs = (one: Waiting) =>
		Math.max(blocks.leftMs(one.bucket), refusedMs(one, clock.nowMs()));

	async function begin(): Promise<void> {
		const waiting = queue.next((one) => places.has(one.purpose) && standsAsideMs(one) === 0);
		if (!waiting) return;
		const { purpose } = waiting;
		const answer = await budget.take(budgetName, termsOf(purpose));
		if (!answer.granted) return refuse(queue, waiting, { ...answer, nowMs: clock.nowMs() });
		// It was aborted meanwhile: the unit of the budget is lost, and no call waits for it.
		if (!queue.remove(waiting)) return;
		startedAtMs = clock.nowMs();
		const leave = places.take(purpose);
		waiting.begin(() => {
			leave();
			look();
		});
	}

	return {
		turn(turn) {
			const begun = queue.join(turn);
			look();
			return begun;
		},
	};
}

export function createBlocks(clock: Clock): Blocks {
	const states: Record<Bucket, State> = { read: free(), fulfilment: free() };

	function block(state: State, lengthMs: number): void {
		state.untilMs = clock.nowMs() + lengthMs;
		state.lengthMs = lengthMs;
	}
	function leftMs(bucket: Bucket): number {
		const { untilMs, lengthMs } = states[bucket];
		// Never longer than the wait itself, so that a clock that is set back does not block for hours.
		return Math.min(Math.max(untilMs - clock.nowMs(), 0), lengthMs);
	}

	return {
		leftMs,
		refuse(bucket, ms) {
			const state = states[bucket];
			const fallbackMs = Math.min(BLOCK_DEFAULT_MS * 2 ** state.refusals, BLOCK_DEFAULT_MAX_MS);
			// Calls that were under way together are refused together: that counts once.
			if (leftMs(bucket) === 0) state.refusals = Math.min(state.refusals + 1, 16);
			const lengthMs = ms ?? fallbackMs;
			if (lengthMs > leftMs(bucket)) block(state, lengthMs);
			return leftMs(bucket);
		},
		pass(bucket, ms) {
			const state = states[bucket];
			state.refusals = 0;
			if (ms !== null && ms > leftMs(bucket)) block(state, ms);
		},
	};
}

export function createPlaces(): Places {
	const taken = { request: 0, background: 0 };
	return {
		has(purpose) {
			if (taken.request + taken.background >= CALLS_UNDER_WAY_MAX) return false;
			return !isBackground(purpose) || taken.background < BACKGROUND_UNDER_WAY_MAX;
		},
		take(purpose) {
			const kind = isBackground(purpose) ? "background" : "request";
			taken[kind]++;
			let isTaken = true;
			return () => {
				if (isTaken) taken[kind]--;
				isTaken = false;
			};
		},
	};
}

function failBlocked(queue: CallQueue, blocks: Blocks): void {
	for (const waiting of queue.waiting()) {
		const leftMs = blocks.leftMs(waiting.bucket);
		if (leftMs <= BLOCK_WAITED_OUT_MS) continue;
		const why = { detail: "it blocks us", refusedBy: "provider" } as const;
		queue.drop(waiting, tooOften(leftMs, why));
	}
}

/** Returns for how long its share of the limit stays used up, in ms. */
function refusedMs({ refusedUntilMs }: Waiting, nowMs: number): number {
	const leftMs = refusedUntilMs - nowMs;
	// Longer than any wait: the clock was set back.
	return leftMs > BLOCK_WAITED_OUT_MS ? 0 : Math.max(leftMs, 0);
}

/** Keeps a call that may wait in its place while others go on; refuses it otherwise. */
function refuse(
	queue: CallQueue,
	waiting: Waiting,
	{ retryAfterMs, nowMs }: BudgetAnswer & { nowMs: number },
): void {
	waiting.budgetWaitedMs += retryAfterMs;
	const waits = waiting.purpose === "request" || waiting.purpose === "view";
	if (waits && waiting.budgetWaitedMs <= BLOCK_WAITED_OUT_MS) {
		waiting.refusedUntilMs = nowMs + retryAfterMs;
		return;
	}
	const why = { detail: "the shared minute is used up", refusedBy: "pace" } as const;
	queue.drop(waiting, tooOften(retryAfterMs, why));
}

function free(): State {
	return { untilMs: Number.NEGATIVE_INFINITY, lengthMs: 0, refusals: 0 };
}
