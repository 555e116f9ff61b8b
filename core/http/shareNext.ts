import { contentOf } from "#core/http/content/contentOf.ts";
import type { MadeAnswer, Repeat, RepeatedAnswer } from "#core/http/Repeat.ts";

/**
 * Makes one answer after the other, each for all requests that came since the last one was begun.
 *
 * Making it begins after each of those requests came, so nobody is told less than was so when they
 * asked, unlike with a page that is kept; and of a crowd that asks for the same, two answers are
 * made where each had its own.
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
		// Ahead of whoever waits for it to end.
		const end = () => {
			running = undefined;
		};
		made.then(end, end);
		return made;
	}
}
