import { contentOf } from "#core/http/content/contentOf.ts";
import type { MadeAnswer, Repeat, RepeatedAnswer } from "#core/http/Repeat.ts";

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
