import type { Budget, BudgetAnswer } from "#core/budget/Budget.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { sleep } from "#core/time/sleep.ts";
import {
	BLOCK_WAITED_OUT_MS,
	CALL_DISTANCE_MS,
	CALLS_FOR_REQUESTS,
	CALLS_OF_BACKGROUND_MAX,
	CALLS_OF_ENDLESS_MAX,
	CALLS_PER_MINUTE_MAX,
	MINUTE_MS,
} from "#plugins/provider/limits.ts";
import type { Blocks } from "#plugins/provider/pace/createBlocks.ts";
import {
	createCallQueue,
	type Turn,
	type Waiting,
} from "#plugins/provider/pace/createCallQueue.ts";
import { createPlaces } from "#plugins/provider/pace/createPlaces.ts";
import { tooOften } from "#plugins/provider/pace/tooOften.ts";

export type Pacer = {
	/** Waits until a call may begin; the answer must be called when it is over. */
	turn(turn: Turn): Promise<() => void>;
};

/** What each may have of the minute beside the other. */
const SHARES = { background: CALLS_OF_BACKGROUND_MAX, endless: CALLS_OF_ENDLESS_MAX } as const;

/**
 * Whose turn it is to call the provider: one each 250 ms in this process and 120 a minute on the
 * key, requests before the background. A wait of at most three seconds is waited out; whoever would
 * wait longer is told so at once, as is the background when only 20 of the minute are left, or when
 * it has had its share of the rest: who comes by the clock might else always come too late.
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
	/** Ends the wait under way: who comes may begin before those for whom it is. */
	let waking = new AbortController();

	function look(): void {
		waking.abort();
		void pump();
	}

	/** Begins what may begin, until nobody waits or whoever waits does so for the end of another. */
	async function pump(): Promise<void> {
		if (isPumping) return;
		isPumping = true;
		try {
			for (;;) {
				failBlocked();
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

	function failBlocked(): void {
		for (const waiting of queue.waiting()) {
			const leftMs = blocks.leftMs(waiting.bucket);
			if (leftMs > BLOCK_WAITED_OUT_MS) queue.drop(waiting, tooOften(leftMs, "it blocks us"));
		}
	}

	/** When to look again, 0 for now; null where the end of a call, or a new one, will say so. */
	function untilNextMs(): number | null {
		const left = queue.waiting().filter(({ purpose }) => places.has(purpose));
		if (left.length === 0) return null;
		const sinceMs = clock.nowMs() - startedAtMs;
		// A clock that was set back has no distance to keep.
		const paceMs = sinceMs < 0 ? 0 : Math.max(CALL_DISTANCE_MS - sinceMs, 0);
		return Math.max(paceMs, Math.min(...left.map(({ bucket }) => blocks.leftMs(bucket))));
	}

	async function begin(): Promise<void> {
		const waiting = queue.next((one) => places.has(one.purpose) && blocks.leftMs(one.bucket) === 0);
		if (!waiting) return;
		const { purpose } = waiting;
		const answer = await takeCall(budget, { name: budgetName, purpose });
		if (!answer.granted) return refuse(waiting, answer);
		// It was given up meanwhile: the unit is lost, and nobody waits.
		if (!queue.remove(waiting)) return;
		startedAtMs = clock.nowMs();
		const leave = places.take(purpose);
		waiting.begin(() => {
			leave();
			look();
		});
	}

	async function refuse(waiting: Waiting, { retryAfterMs }: BudgetAnswer): Promise<void> {
		waiting.budgetWaitedMs += retryAfterMs;
		const isWaitedOut = waiting.budgetWaitedMs <= BLOCK_WAITED_OUT_MS;
		if (waiting.purpose === "request" && isWaitedOut) return wait(retryAfterMs);
		queue.drop(waiting, tooOften(retryAfterMs, "the shared minute is used up"));
	}

	return {
		turn(turn) {
			const begun = queue.join(turn);
			look();
			return begun;
		},
	};
}

/** Takes a call out of the minute: of the share of its kind first, then of the whole. */
async function takeCall(
	budget: Budget,
	{ name, purpose }: { name: string; purpose: Turn["purpose"] },
): Promise<BudgetAnswer> {
	const take = (of: string, perWindow: number) =>
		budget.take(of, { amount: 1, perWindow, windowMs: MINUTE_MS });
	if (purpose === "request") return await take(name, CALLS_PER_MINUTE_MAX);
	const share = await take(`${name}:${purpose}`, SHARES[purpose]);
	return share.granted ? await take(name, CALLS_PER_MINUTE_MAX - CALLS_FOR_REQUESTS) : share;
}
