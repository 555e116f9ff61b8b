import { contentOf } from "#core/http/content/contentOf.ts";
import type { MadeAnswer, Repeat, RepeatedAnswer } from "#core/http/Repeat.ts";

/** How long an answer is given again: shorter than the way to most clients. */
const SHARED_MS = 15;
/** How old an answer may be that is given while the next one is made, as a compressed body may. */
const BRIDGED_MS = 100;

/**
 * Makes an answer at most once in 15 milliseconds of the clock, for all requests that came in
 * them: what it says of the moment it was served at is that much off, and a crowd does not have it
 * put together for each.
 *
 * While the next one is made, the one before is given: a crowd that waits for a promise costs many
 * times more than one that is answered (see the README).
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
