// Defines the statuses of a plan, which event leads from one to another, and what plans depend on.

import type { Chain } from "#core/chain/Chain.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { StateTable } from "#core/states.ts";
import type { Steps } from "#core/steps.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

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

/**
 * The stored steps of an evaluation: tests kill the process before and after each. Moving money has
 * its own steps, in wallets.
 */
export const planSteps = [
	/** A process takes the right to evaluate a plan. */
	"plan.take",
	/** A fill and its intent are recorded. */
	"plan.fill",
	/** The evaluation of a plan ends, and its result is stored. */
	"plan.end",
	/** A plan is paused, resumed, cancelled, completed or expired. */
	"plan.move",
] as const;

export type PlanStep = (typeof planSteps)[number];

/** Everything that plans depend on. Only `wallets` moves money. */
export type PlansContext = {
	core: Pick<Core, "db" | "clock" | "log" | "chains" | "session">;
	/** The chains that this service indexes. */
	served: readonly Chain[];
	market: Pick<MarketIndex, "find" | "touch" | "book"> & {
		reveals: Pick<MarketIndex["reveals"], "subjects">;
	};
	wallets: Pick<Wallets, "principalOf" | "once"> & {
		execution: Pick<Wallets["execution"], "create" | "advance" | "held" | "cancel">;
	};
	steps: Steps<PlanStep>;
	/** False: no plan is armed or evaluated here (`NFT_SNIPE_ENABLED`). */
	isOn: boolean;
};

/** Returns true if a plan can still buy, now or after it is resumed. */
export function isOpen(status: PlanStatus): boolean {
	return status === "armed" || status === "paused";
}
