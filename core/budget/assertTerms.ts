import type { BudgetTerms } from "#core/budget/Budget.ts";
import { PAUSE_MAX_MS, SHARES_MAX, UNITS_PER_WINDOW_MAX } from "#core/budget/limits.ts";
import { assert } from "#core/fault/assert.ts";

/** Terms are written in code: whoever could never be granted anything has made a mistake. */
export function assertTerms({ amount, perWindow, windowMs, shares = [] }: BudgetTerms): void {
	assert(Number.isInteger(amount) && amount > 0, "a take is a whole number of units");
	assert(perWindow <= UNITS_PER_WINDOW_MAX, "a window of more units is not remembered");
	assert(Number.isInteger(windowMs) && windowMs > 0, "a window is a whole number of milliseconds");
	assert(shares.length <= SHARES_MAX, "a take counts into a few kinds");
	for (const { of } of shares) assert(/^[a-z]{1,32}$/.test(of), "a kind is a word");
	for (const most of [perWindow, ...shares.map((share) => share.perWindow)]) {
		assert(Number.isInteger(most) && amount <= most, "a take must fit into its window");
	}
}

/** Checks the length of a pause in the same way. */
export function assertPause(forMs: number): void {
	const isWhole = Number.isInteger(forMs) && forMs > 0;
	assert(
		isWhole && forMs <= PAUSE_MAX_MS,
		"a pause is a whole number of milliseconds, at most 1 h",
	);
}
