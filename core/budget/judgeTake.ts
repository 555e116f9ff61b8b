import type { BudgetAnswer, BudgetTerms } from "#core/budget/Budget.ts";

/** A unit that was taken, and the kinds that it counts into. */
export type TakenUnit = { atMs: number; of: readonly string[] };

/**
 * Decides whether these terms allow a take now, beside the units of the window, oldest first.
 * `retryAfterMs` is when the last of its limits has room again.
 */
export function judgeTake(
	taken: readonly TakenUnit[],
	terms: BudgetTerms,
	{ nowMs, pausedMs }: { nowMs: number; pausedMs: number },
): BudgetAnswer {
	const { amount, perWindow, windowMs, shares = [] } = terms;
	let remaining = Number.POSITIVE_INFINITY;
	let retryAfterMs = pausedMs;
	for (const limit of [{ of: null, perWindow }, ...shares]) {
		const { of } = limit;
		const units = of === null ? taken : taken.filter((unit) => unit.of.includes(of));
		remaining = Math.min(remaining, Math.max(0, limit.perWindow - units.length));
		const leaving = units[units.length + amount - limit.perWindow - 1];
		if (leaving) retryAfterMs = Math.max(retryAfterMs, leaving.atMs + windowMs - nowMs, 1);
	}
	const granted = pausedMs === 0 && remaining >= amount;
	return {
		granted,
		remaining: granted ? remaining - amount : pausedMs > 0 ? 0 : remaining,
		retryAfterMs: granted ? 0 : retryAfterMs,
	};
}
