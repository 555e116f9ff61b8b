import type { BudgetTerms } from "#core/budget/Budget.ts";
import { UNITS_PER_WINDOW_MAX } from "#core/budget/limits.ts";
import { assert } from "#core/fault/assert.ts";

/** Terms are written in code: whoever could never be granted anything has made a mistake. */
export function assertTerms({ amount, perWindow, windowMs }: BudgetTerms): void {
	assert(Number.isInteger(amount) && amount > 0, "a take is a whole number of units");
	assert(Number.isInteger(perWindow) && amount <= perWindow, "a take must fit into its window");
	assert(perWindow <= UNITS_PER_WINDOW_MAX, "a window of more units is not remembered");
	assert(Number.isInteger(windowMs) && windowMs > 0, "a window is a whole number of milliseconds");
}
