import type { BudgetAnswer, BudgetTerms } from "#core/budget/Budget.ts";
import { NAMES_MAX } from "#core/budget/limits.ts";
import type { Clock } from "#core/clock/Clock.ts";

/** Keeps refusals until the take may be granted again. */
export type Refusals = {
	add(name: string, terms: BudgetTerms, answer: BudgetAnswer): void;
	find(name: string, terms: BudgetTerms): BudgetAnswer | null;
};

/**
 * Remembers refusals of whole windows. Units leave a window by time alone, so a take on the same
 * terms, or for more, is refused until then, whoever asks.
 */
export function createRefusals(clock: Clock): Refusals {
	const refused = new Map<string, { answer: BudgetAnswer; untilMs: number }>();
	return {
		add(name, terms, answer) {
			if (refused.size >= NAMES_MAX) refused.clear();
			refused.set(keyOf(name, terms), {
				answer,
				untilMs: clock.nowMs() + answer.retryAfterMs,
			});
		},
		find(name, terms) {
			const key = keyOf(name, terms);
			const known = refused.get(key);
			if (!known) return null;
			const { answer, untilMs } = known;
			const leftMs = untilMs - clock.nowMs();
			// More than it was: the clock was set back, and the refusal is of no known age.
			if (leftMs > 0 && leftMs <= answer.retryAfterMs) return { ...answer, retryAfterMs: leftMs };
			refused.delete(key);
			return null;
		},
	};
}

function keyOf(name: string, { amount, perWindow, windowMs, shares = [] }: BudgetTerms): string {
	const kinds = shares.map((share) => [share.of, share.perWindow]);
	return JSON.stringify([name, amount, perWindow, windowMs, kinds]);
}
