import type { Goal } from "#test/bench/Figure.ts";

/**
 * Says whether a value reaches its goal. A figure without a goal cannot miss it; one that could not
 * be measured misses any.
 */
export function judge(value: number, goal: Goal): boolean {
	if (goal === null) return true;
	return goal.kind === "at_least" ? value >= goal.value : value <= goal.value;
}
