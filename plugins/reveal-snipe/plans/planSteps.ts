/**
 * The stored steps of an evaluation: tests kill the process before and after each. Moving money has
 * its own steps, in wallets.
 */
export const planSteps = [
	/** A process takes the right to evaluate a plan. */
	"plan.take",
	/** A fill and its intent are recorded. */
	"plan.fill",
	/** The right is given back, with the result. */
	"plan.end",
	/** A plan is paused, resumed, cancelled, completed or expired. */
	"plan.move",
] as const;

export type PlanStep = (typeof planSteps)[number];
