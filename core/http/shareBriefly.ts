import { contentOf } from "#core/http/content/contentOf.ts";
import type { MadeAnswer, Repeat, RepeatedAnswer } from "#core/http/Repeat.ts";

/** How long an answer is repeated: shorter than the network delay to most clients. */
const SHARED_MS = 15;
/**
 * How old an answer may be that is repeated while the next one is made, as for compressed bodies.
 */
const BRIDGED_MS = 100;

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
		if (newest && ageMs < SHARED_MS) return newest.answer;
		making ??= begin(nowMs);
		return newest && ageMs < BRIDGED_MS ? newest.answer : making;
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
