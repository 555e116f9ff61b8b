import type { Clock } from "#core/clock/Clock.ts";
import { contentOf } from "#core/http/content/contentOf.ts";
import type { MadeAnswer, Repeat, RepeatedAnswer } from "#core/http/Repeat.ts";

/** How long an answer is repeated without a check: shorter than the network delay to any client. */
const SHARED_MS = 5;
/** When the next check begins while requests keep coming, so that it ends before one must wait. */
const LOOK_AFTER_MS = 2;
/** How old an answer may become meanwhile: a page of 200 events takes 10 ms to make. */
const BRIDGED_MS = 50;
/** How old data outside the version (rates, names in memory) may be in an answer. */
const MADE_MS = 1_000;

type Newest = {
	version: string;
	madeAtMs: number;
	/** When the last check without a change began. */
	lookedAtMs: number;
	answer: RepeatedAnswer;
};

/**
 * Repeats an answer while `version` stays the same, and makes it again otherwise: for pages that
 * are large and must not be older than what their reader has already seen.
 *
 * The version is read once for all waiting requests, after they came: no request gets a page that
 * is older than itself by five milliseconds, or by fifty while requests keep coming (waiting would
 * cost many times more, see the README). It is read before the page, so a page is never older than
 * its version.
 */
export function shareWhileSame(options: {
	version: () => Promise<string>;
	make: () => Promise<MadeAnswer>;
	clock: Clock;
}): Repeat {
	const { version, make, clock } = options;
	let newest: Newest | undefined;
	/** Begins when the one before has ended, for all requests until then. */
	let next: Promise<RepeatedAnswer> | undefined;
	let last: Promise<unknown> = Promise.resolve();
	/** Whether a check is running that was begun early. */
	let isAhead = false;

	async function look(): Promise<RepeatedAnswer> {
		next = undefined;
		const lookedAtMs = clock.nowMs();
		const now = await version();
		if (newest?.version === now && agedMs(newest.madeAtMs, lookedAtMs) < MADE_MS) {
			newest.lookedAtMs = lookedAtMs;
			return newest.answer;
		}
		const { body, headers } = await make();
		const answer = sameOr(newest?.answer, { content: contentOf(body), headers });
		newest = { version: now, madeAtMs: lookedAtMs, lookedAtMs, answer };
		return answer;
	}

	function ask(): Promise<RepeatedAnswer> {
		if (next) return next;
		next = last.then(look);
		last = next.catch(() => {});
		return next;
	}

	return (nowMs) => {
		const ageMs = newest ? agedMs(newest.lookedAtMs, nowMs) : Number.POSITIVE_INFINITY;
		if (!newest || ageMs >= (isAhead ? BRIDGED_MS : SHARED_MS)) return ask();
		if (ageMs >= LOOK_AFTER_MS && !isAhead) lookAhead();
		return newest.answer;
	};

	function lookAhead(): void {
		isAhead = true;
		const isOver = () => {
			isAhead = false;
		};
		// Requests that wait for it will report the error.
		ask().then(isOver, isOver);
	}
}

/** Returns the age; if the clock was set back, as an absolute value. */
function agedMs(fromMs: number, nowMs: number): number {
	return Math.abs(nowMs - fromMs);
}

/** Returns the answer before if its bytes are equal, so that its compressed bodies are kept. */
function sameOr(before: RepeatedAnswer | undefined, answer: RepeatedAnswer): RepeatedAnswer {
	return before?.content.digest === answer.content.digest ? before : answer;
}
