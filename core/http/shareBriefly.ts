import type { Repeat, RepeatedAnswer } from "#core/http/Repeat.ts";

/** How long an answer is given again: shorter than the way to any client. */
const SHARED_MS = 5;
/** How old an answer may be that is given while the next one is made. */
const BRIDGED_MS = 20;

/**
 * Makes an answer at most once in five milliseconds of the clock, for all requests that came in
 * them: what it says of the moment it was served at is that much off, and a crowd does not have it
 * put together for each.
 *
 * While the next one is made, the one before is given: a crowd that waits for a promise costs many
 * times more than one that is answered (see the README).
 */
export function shareBriefly(make: () => Promise<RepeatedAnswer>): Repeat {
	let newest: { atMs: number; answer: RepeatedAnswer } | undefined;
	let making: Promise<RepeatedAnswer> | undefined;
	return (nowMs) => {
		const ageMs = newest ? Math.abs(nowMs - newest.atMs) : Number.POSITIVE_INFINITY;
		if (newest && ageMs < SHARED_MS) return newest.answer;
		making ??= begin(nowMs);
		return newest && ageMs < BRIDGED_MS ? newest.answer : making;
	};

	function begin(atMs: number): Promise<RepeatedAnswer> {
		const made = make().then(encoded);
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
 * As one piece of bytes that all answers share: text and byte arrays are copied for each (measured,
 * 17 kB: half of what a request costs, with the collecting of the copies).
 */
function encoded({ body, headers }: RepeatedAnswer): RepeatedAnswer {
	return { body: new Blob([body]), headers };
}
