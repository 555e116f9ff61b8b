import type { Chain } from "#core/chain/Chain.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Steps } from "#core/steps.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

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
