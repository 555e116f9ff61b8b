/**
 * `armed`: it buys once its collection is revealed. `paused`: it buys nothing until its owner
 * resumes it. The others are ends: `completed`, all it may buy is bought; `cancelled`, by its
 * owner; `expired`, its time is over.
 */
export const PLAN_STATUSES = ["armed", "paused", "completed", "cancelled", "expired"] as const;
export type PlanStatus = (typeof PLAN_STATUSES)[number];

/** `drift`: wallet or profile are not those it was armed with. */
export type PlanEvent = "pause" | "drift" | "resume" | "complete" | "cancel" | "expire";

/** Every move that a plan can make. What is not here is refused. */
export const planMoves: Readonly<
	Record<PlanStatus, Readonly<Partial<Record<PlanEvent, PlanStatus>>>>
> = {
	armed: {
		pause: "paused",
		drift: "paused",
		complete: "completed",
		cancel: "cancelled",
		expire: "expired",
	},
	// What was under way when it was paused may still be the last that it may buy.
	paused: { resume: "armed", complete: "completed", cancel: "cancelled", expire: "expired" },
	completed: {},
	cancelled: {},
	expired: {},
};

/** Statuses from which an event leads somewhere, and where. */
export function movesOf(event: PlanEvent): { from: PlanStatus; to: PlanStatus }[] {
	return PLAN_STATUSES.flatMap((from) => {
		const to = planMoves[from][event];
		return to === undefined ? [] : [{ from, to }];
	});
}

/** Whether a plan can still buy, now or after it was resumed. */
export function isOpen(status: PlanStatus): boolean {
	return status === "armed" || status === "paused";
}
