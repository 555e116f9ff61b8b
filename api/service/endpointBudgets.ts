import type { Chain } from "#core/chain/Chain.ts";
import type { ChainRegistry } from "#core/chain/chainRegistry.ts";
import type { CallBudget } from "#core/chain/rpc/budget/CallBudget.ts";
import { createCallBudget } from "#core/chain/rpc/budget/createCallBudget.ts";
import { sharedTimeline } from "#core/chain/rpc/budget/sharedTimeline.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { CoreConfig } from "#core/config/coreConfig.ts";
import type { Queryable } from "#core/db/Database.ts";

export type EndpointBudgets = {
	of(url: string): CallBudget | undefined;
	/** A call that went over a socket uses up what the host allows. */
	spentAt(host: string): void;
};

/** The call budgets of one chain's endpoints, by `CHAIN_RPC_CALLS_PER_SECOND` or learned. */
export function endpointBudgets(
	chain: Chain,
	urls: readonly string[],
	world: {
		config: Pick<CoreConfig, "CHAIN_RPC_CALLS_PER_SECOND">;
		chains: ChainRegistry;
		clock: Clock;
		db(): Queryable | null;
	},
): EndpointBudgets {
	const { config, chains, clock, db } = world;
	const budgets = new Map<string, CallBudget>();
	for (const url of urls) {
		const perSecondMax = rateOf(url, chain, config.CHAIN_RPC_CALLS_PER_SECOND, chains);
		// A key often stands in the path, and what it allows is its own.
		const timeline = sharedTimeline({ db, name: `${chain.id} ${url}`, clock });
		budgets.set(url, createCallBudget({ clock, timeline, perSecondMax }));
	}
	return {
		of: (url) => budgets.get(url),
		spentAt(host) {
			for (const [url, budget] of budgets) if (new URL(url).host === host) budget.spent(1);
		},
	};
}

/** Returns the calls per second set for an endpoint: by its host, else its chain, else `*`. */
function rateOf(
	url: string,
	chain: Chain,
	rates: CoreConfig["CHAIN_RPC_CALLS_PER_SECOND"],
	chains: ChainRegistry,
): number | null {
	const ofChain = Object.keys(rates).find((name) => chains.bySlug(name)?.id === chain.id) ?? "*";
	return rates[new URL(url).host] ?? rates[ofChain] ?? rates["*"] ?? null;
}
