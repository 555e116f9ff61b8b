/**
 * What lasts between two calls of an evaluation: a process can die before and after each. What
 * moves money is the wallets' own, and has steps of its own there.
 */
export const planSteps = [
	/** A process takes the right to evaluate a plan. */
	"plan.take",
	/** A fill and its intent are recorded. */
	"plan.fill",
	/** The right is given back, with what came of it. */
	"plan.end",
	/** A plan is paused, resumed, cancelled, completed or expired. */
	"plan.move",
] as const;

export type PlanStep = (typeof planSteps)[number];
