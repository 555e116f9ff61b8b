import type { BudgetAnswer, BudgetTerms } from "#core/budget/Budget.ts";
import { NAMES_MAX } from "#core/budget/limits.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { assert } from "#core/fault/assert.ts";

/** What this process took, by name, unit by unit, for as long as it counts. */
export type TakeLog = {
	/** Whether these terms allow the take now. Remembers nothing. */
	judge(name: string, terms: BudgetTerms): BudgetAnswer;
	add(name: string, terms: BudgetTerms): void;
};

export function createTakeLog(clock: Clock): TakeLog {
	const takenAtMs = new Map<string, number[]>();

	function current(name: string, windowMs: number): number[] {
		const known = takenAtMs.get(name);
		assert(known || takenAtMs.size < NAMES_MAX, "a budget's name is a constant");
		const nowMs = clock.nowMs();
		// Also what a clock that was set back put more than a window ahead: it would never leave.
		const counts = (atMs: number) => atMs > nowMs - windowMs && atMs <= nowMs + windowMs;
		const kept = (known ?? []).filter(counts);
		takenAtMs.set(name, kept);
		return kept;
	}

	return {
		judge(name, { amount, perWindow, windowMs }) {
			const taken = current(name, windowMs);
			const tooMany = taken.length + amount - perWindow;
			if (tooMany <= 0) {
				return { granted: true, remaining: Math.abs(tooMany), retryAfterMs: 0 };
			}
			const leavesAtMs = (taken[tooMany - 1] ?? clock.nowMs()) + windowMs;
			return {
				granted: false,
				remaining: Math.max(0, perWindow - taken.length),
				retryAfterMs: Math.max(1, leavesAtMs - clock.nowMs()),
			};
		},
		add(name, { amount, windowMs }) {
			const taken = current(name, windowMs);
			for (let unit = 0; unit < amount; unit++) taken.push(clock.nowMs());
		},
	};
}
