// Makes one answer for many equal requests, and says how old a repeated answer may be.

import type { Clock } from "#core/clock.ts";
import { type Content, contentOf } from "#core/http/content.ts";

/** The answer's own headers, in lower case. */
export type AnswerHeaders = Readonly<Record<string, string>> & { readonly "content-type": string };

/** An answer without the headers that the gate adds to every answer. Its status is 200. */
export type RepeatedAnswer = { content: Content; headers: AnswerHeaders };

/**
 * Answers a URL that was answered before, without routing, parsing and validating it again. Only
 * for routes whose answers are the same for all callers (`canBeCached`): they depend on the URL and
 * the time alone, never on a header, a cookie or a session. `nowMs` is the time of the service's
 * clock.
 *
 * A repeated answer is the same object, so that its compressed forms are found by it.
 */
export type Repeat = (nowMs: number) => RepeatedAnswer | Promise<RepeatedAnswer>;

/** An answer as its route makes it. */
export type MadeAnswer = { body: string; headers: AnswerHeaders };

type Newest = {
	version: string;
	madeAtMs: number;
	/** The time when the last check without a change began. */
	lookedAtMs: number;
	answer: RepeatedAnswer;
};

/** How long `shareBriefly` repeats an answer: shorter than the network delay to most clients. */
const BRIEFLY_MS = 15;
/**
 * Limits the age of an answer that is repeated while the next one is made, as for compressed
 * bodies.
 */
const BRIEFLY_BRIDGED_MS = 100;

/**
 * How long `shareWhileSame` repeats an answer without a check: shorter than the network delay to
 * any client.
 */
const UNCHECKED_MS = 5;
/**
 * The time after which the next check begins while requests keep coming, so that it ends before one
 * must wait.
 */
const LOOK_AFTER_MS = 2;
/** Limits the age of an answer meanwhile: a page of 200 events takes 10 ms to make. */
const UNCHECKED_BRIDGED_MS = 50;
/** Limits the age of data outside the version (rates, names in memory) in an answer. */
const MADE_MS = 1_000;

/**
 * Makes an answer at most once in 15 milliseconds, for all requests in that time: the time that it
 * shows is that much off, but many requests do not make it many times.
 *
 * While the next one is made, the one before is repeated: requests that wait for a promise cost
 * many times more than those answered at once (see the README).
 */
export function shareBriefly(make: () => Promise<MadeAnswer>): Repeat {
	let newest: { atMs: number; answer: RepeatedAnswer } | undefined;
	let making: Promise<RepeatedAnswer> | undefined;
	return (nowMs) => {
		const ageMs = newest ? Math.abs(nowMs - newest.atMs) : Number.POSITIVE_INFINITY;
		if (newest && ageMs < BRIEFLY_MS) return newest.answer;
		making ??= begin(nowMs);
		return newest && ageMs < BRIEFLY_BRIDGED_MS ? newest.answer : making;
	};

	function begin(atMs: number): Promise<RepeatedAnswer> {
		const made = make().then(({ body, headers }) => ({ content: contentOf(body), headers }));
		made.then(
			(answer) => {
				newest = { atMs, answer };
				making = undefined;
			},
			() => {
				making = undefined;
			},
		);
		return made;
	}
}

/**
 * Makes one answer after the other, each for all requests that came since the last one was begun.
 *
 * Each answer is begun after its requests came, so none is older than its request, unlike with a
 * cached page; and for many equal requests only two answers are made.
 */
export function shareNext(make: () => Promise<MadeAnswer>): Repeat {
	let running: Promise<RepeatedAnswer> | undefined;
	let next: Promise<RepeatedAnswer> | undefined;
	return () => {
		if (!running) return begin();
		next ??= running.then(beginNext, beginNext);
		return next;
	};

	function beginNext(): Promise<RepeatedAnswer> {
		next = undefined;
		return begin();
	}

	function begin(): Promise<RepeatedAnswer> {
		const made = make().then(({ body, headers }) => ({ content: contentOf(body), headers }));
		running = made;
		// Before the functions that wait for its end.
		const end = () => {
			running = undefined;
		};
		made.then(end, end);
		return made;
	}
}

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
	/** The next check, shared by all requests that come while one is running. */
	let next: Promise<RepeatedAnswer> | undefined;
	let last: Promise<unknown> = Promise.resolve();
	/** True while a check is running that was begun early. */
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
		if (!newest || ageMs >= (isAhead ? UNCHECKED_BRIDGED_MS : UNCHECKED_MS)) return ask();
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
