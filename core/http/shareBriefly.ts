import type { Clock } from "#core/clock/Clock.ts";
import type { Repeat, RepeatedAnswer } from "#core/http/Repeat.ts";

/** How long an answer is given again: shorter than the way to any client. */
const SHARED_MS = 5;

/**
 * Makes an answer at most once in five milliseconds of the clock, for all requests that came in
 * them: what it says of the moment it was served at is that much off, and a crowd does not have it
 * put together for each.
 */
export function shareBriefly(make: () => Promise<RepeatedAnswer>, clock: Clock): Repeat {
	let shared: { atMs: number; answer: RepeatedAnswer | Promise<RepeatedAnswer> } | undefined;
	return () => {
		const atMs = Math.floor(clock.nowMs() / SHARED_MS);
		if (shared?.atMs === atMs) return shared.answer;
		const making = make().then(encoded);
		const current: typeof shared = { atMs, answer: making };
		shared = current;
		// Known, it is given without a wait.
		making.then(
			(answer) => {
				current.answer = answer;
			},
			() => {
				if (shared === current) shared = undefined;
			},
		);
		return making;
	};
}

/**
 * As one piece of bytes that all answers share: text and byte arrays are copied for each (measured,
 * 17 kB: half of what a request costs, with the collecting of the copies).
 */
function encoded({ body, headers }: RepeatedAnswer): RepeatedAnswer {
	return { body: new Blob([body]), headers };
}
