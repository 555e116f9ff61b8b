import type { Budget, BudgetAnswer } from "#core/budget/Budget.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { sleep } from "#core/time/sleep.ts";
import { BLOCK_WAITED_OUT_MS, CALL_DISTANCE_MS } from "#plugins/provider/limits.ts";
import type { Blocks } from "#plugins/provider/pace/createBlocks.ts";
import {
	type CallQueue,
	createCallQueue,
	type Turn,
	type Waiting,
} from "#plugins/provider/pace/createCallQueue.ts";
import { createPlaces } from "#plugins/provider/pace/createPlaces.ts";
import { termsOf } from "#plugins/provider/pace/termsOf.ts";
import { tooOften } from "#plugins/provider/pace/tooOften.ts";

export type Pacer = {
	/** Waits until a call may begin; returns a function that must be called when the call is over. */
	turn(turn: Turn): Promise<() => void>;
};

/**
 * Makes the pacer, which decides when a call may begin: one each 250 ms in this process and 120 a
 * minute for the key, clients before the background. A page's or a buyer's call waits up to three
 * seconds; all others, and longer waits, are refused at once. Each purpose has a share of the limit
 * (`termsOf`): otherwise scheduled work could always come too late, and searches could use up what
 * buyers need.
 */
export function createPacer(options: {
	/** The same in every process that uses this key. */
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
	 * Returns when to look again, in ms, 0 for now; null where the end of a call, or a new call, will
	 * cause it.
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

/** Returns for how long its share of the limit stays used up, in ms. */
function refusedMs({ refusedUntilMs }: Waiting, nowMs: number): number {
	const leftMs = refusedUntilMs - nowMs;
	// Longer than any wait: the clock was set back.
	return leftMs > BLOCK_WAITED_OUT_MS ? 0 : Math.max(leftMs, 0);
}

function failBlocked(queue: CallQueue, blocks: Blocks): void {
	for (const waiting of queue.waiting()) {
		const leftMs = blocks.leftMs(waiting.bucket);
		if (leftMs <= BLOCK_WAITED_OUT_MS) continue;
		const why = { detail: "it blocks us", refusedBy: "provider" } as const;
		queue.drop(waiting, tooOften(leftMs, why));
	}
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
