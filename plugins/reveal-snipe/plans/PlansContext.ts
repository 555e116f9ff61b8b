import type { Chain } from "#core/chain/Chain.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Steps } from "#core/steps/Steps.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import type { PlanStep } from "#plugins/reveal-snipe/plans/planSteps.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

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
