// Defines the statuses of a plan, and which event leads from one to another.

import type { StateTable } from "#core/states.ts";

/**
 * `armed`: buys once its collection is revealed. `paused`: buys nothing until its owner resumes it.
 * Final: `completed`, all it may buy is bought; `cancelled`, by its owner; `expired`, its time is
 * over.
 */
export const PLAN_STATUSES = ["armed", "paused", "completed", "cancelled", "expired"] as const;
export type PlanStatus = (typeof PLAN_STATUSES)[number];

/** `drift`: wallet or profile changed since it was armed. */
export type PlanEvent = "pause" | "drift" | "resume" | "complete" | "cancel" | "expire";

/** The transitions of a plan. All others are refused. */
export const planMoves: StateTable<PlanStatus, PlanEvent> = {
	armed: {
		pause: "paused",
		drift: "paused",
		complete: "completed",
		cancel: "cancelled",
		expire: "expired",
	},
	// A pending purchase of a paused plan may complete it.
	paused: { resume: "armed", complete: "completed", cancel: "cancelled", expire: "expired" },
	completed: {},
	cancelled: {},
	expired: {},
};

/** Returns true if a plan can still buy, now or after it is resumed. */
export function isOpen(status: PlanStatus): boolean {
	return status === "armed" || status === "paused";
}
