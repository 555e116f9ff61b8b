import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import type { OnCovered } from "#plugins/reveal-snipe/burst/createBursts.ts";
import { checkPlans } from "#plugins/reveal-snipe/plans/checkPlans.ts";
import { createPlans } from "#plugins/reveal-snipe/plans/createPlans.ts";
import { CHECK_EVERY_MS, WATCHED_EVERY_MS } from "#plugins/reveal-snipe/plans/limits.ts";
import type { PlansContext } from "#plugins/reveal-snipe/plans/PlansContext.ts";
import { watchPlanned } from "#plugins/reveal-snipe/plans/watchPlanned.ts";
import { snipeRoutes } from "#plugins/reveal-snipe/routes/snipeRoutes.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

export type OpenPlansOptions = {
	core: Core;
	market: MarketIndex;
	wallets: Wallets;
	isOn: boolean;
	ending: AbortController;
};

/** What the plugin is made of as far as plans go: routes, jobs, and what follows a reveal. */
export function openPlans({ core, market, wallets, isOn, ending }: OpenPlansOptions) {
	const served = core.indexed.map(({ chain }) => chain);
	const context: PlansContext = { core, served, market, wallets, isOn };
	const plans = createPlans(context);
	const onCovered: OnCovered = async () => {};
	const jobs: Job[] = [
		{
			name: "reveal-snipe.planned",
			schedule: { everyMs: WATCHED_EVERY_MS },
			lock: "cluster",
			timeoutMs: 10_000,
			run: () => watchPlanned(context),
		},
		{
			name: "reveal-snipe.check-plans",
			schedule: { everyMs: CHECK_EVERY_MS },
			lock: "cluster",
			timeoutMs: CHECK_EVERY_MS,
			run: ({ signal }) => checkPlans(context, signal),
		},
	];
	const routes = snipeRoutes({ plans, wallets, ending: ending.signal });
	return { onCovered, routes, jobs };
}
