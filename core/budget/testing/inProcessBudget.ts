import { assertPause, assertTerms, type Budget, createTakeLog } from "#core/budget/Budget.ts";
import type { Clock } from "#core/clock.ts";

/** Makes a budget that belongs to one process alone. */
export function inProcessBudget({ clock }: { clock: Clock }): Budget {
	const taken = createTakeLog(clock);
	return {
		async take(name, terms) {
			assertTerms(terms);
			const answer = taken.judge(name, terms);
			if (answer.granted) taken.add(name, terms);
			return answer;
		},
		async pause(name, forMs) {
			assertPause(forMs);
			taken.pause(name, forMs);
		},
	};
}
