import type { Clock } from "#core/clock/Clock.ts";
import { contentOf } from "#core/http/content/contentOf.ts";
import type { MadeAnswer, Repeat, RepeatedAnswer } from "#core/http/Repeat.ts";

/** How long an answer is given again without a look: shorter than the way to any client. */
const SHARED_MS = 5;
/** When a crowd has the next look begun, so that it is over before anybody has to wait for it. */
const LOOK_AFTER_MS = 2;
/** And how old an answer may get meanwhile: a page of 200 events takes 10 ms to make. */
const BRIDGED_MS = 50;
/** What an answer is made of beside the version (rates, names in memory) may be so old. */
const MADE_MS = 1_000;

type Newest = {
	version: string;
	madeAtMs: number;
	/** When the look began that found nothing new. */
	lookedAtMs: number;
	answer: RepeatedAnswer;
};

/**
 * Gives an answer again while `version` says that what it is made of is the same, and makes it anew
 * otherwise: for pages that are large and must not be behind what their reader has already seen.
 *
 * The version is asked for once for all who wait, and after they came: nobody is given a page
 * that is older than their question by five milliseconds, or by fifty in a crowd that would have
 * to wait (which costs it many times more, see the README). It is asked for before the page is
 * read, so a page is never newer than its version says.
 */
export function shareWhileSame(options: {
	version: () => Promise<string>;
	make: () => Promise<MadeAnswer>;
	clock: Clock;
}): Repeat {
	const { version, make, clock } = options;
	let newest: Newest | undefined;
	/** Begins when the one before has ended, and is for all who come until then. */
	let next: Promise<RepeatedAnswer> | undefined;
	let last: Promise<unknown> = Promise.resolve();
	/** Whether a look is under way that was begun in time, for a crowd. */
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
		// Whoever has to wait for it is told where it fails.
		ask().then(isOver, isOver);
	}
}

/** A clock that was set back says nothing of an age. */
function agedMs(fromMs: number, nowMs: number): number {
	return Math.abs(nowMs - fromMs);
}

/** The answer before where it has the same bytes: what was made of it, compressed bodies, stays. */
function sameOr(before: RepeatedAnswer | undefined, answer: RepeatedAnswer): RepeatedAnswer {
	return before?.content.digest === answer.content.digest ? before : answer;
}
