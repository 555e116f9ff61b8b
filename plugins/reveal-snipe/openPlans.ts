import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import { createSteps } from "#core/steps.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import type { OnCovered, OnShown } from "#plugins/reveal-snipe/createBursts.ts";
import {
	BOOKS_KEPT_MS,
	CHECK_EVERY_MS,
	DUE_EVERY_MS,
	PRUNE_BOOKS_EVERY_MS,
	WATCHED_EVERY_MS,
} from "#plugins/reveal-snipe/limits.ts";
import type { PlanStep, PlansContext } from "#plugins/reveal-snipe/model.ts";
import { checkPlans } from "#plugins/reveal-snipe/plans/checkPlans.ts";
import { createEvaluator, watchPlanned } from "#plugins/reveal-snipe/plans/createEvaluator.ts";
import { createPlans } from "#plugins/reveal-snipe/plans/createPlans.ts";
import { createDryRuns } from "#plugins/reveal-snipe/plans/dryRun.ts";
import { plansTools } from "#plugins/reveal-snipe/plansTools.ts";
import { revealTools } from "#plugins/reveal-snipe/revealTools.ts";
import { snipeRoutes } from "#plugins/reveal-snipe/routes/snipeRoutes.ts";
import { pruneKeptBooks } from "#plugins/reveal-snipe/sql/watch.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

type OpenPlansOptions = {
	core: Core;
	market: MarketIndex;
	wallets: Wallets;
	isOn: boolean;
	/** The most fills per minute of all processes together. */
	fillsPerMinute: number;
	ending: AbortController;
};

/** Builds the plugin's part for plans: routes, jobs, tools, and the reaction to a reveal. */
export function openPlans(options: OpenPlansOptions) {
	const { core, market, wallets, isOn, fillsPerMinute, ending } = options;
	const served = core.indexed.map(({ chain }) => chain);
	const steps = createSteps<PlanStep>(core.observeSteps);
	const context: PlansContext = { core, served, market, wallets, steps, isOn };
	const plans = createPlans(context);
	const evaluator = createEvaluator(context, {
		budget: core.budget,
		fillsPerMinute,
		ending: ending.signal,
	});
	const onCovered: OnCovered = (covered, { signal }) => evaluator.covered(covered, signal);
	const onShown: OnShown = (shown) => evaluator.shown(shown);
	const jobs: Job[] = [
		{
			name: "reveal-snipe.due-plans",
			schedule: { everyMs: DUE_EVERY_MS },
			lock: "cluster",
			timeoutMs: 30_000,
			run: () => evaluator.begin(),
		},
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
		{
			name: "reveal-snipe.prune-books",
			schedule: { everyMs: PRUNE_BOOKS_EVERY_MS },
			lock: "cluster",
			timeoutMs: 60_000,
			run: () => pruneKeptBooks(core.db, BOOKS_KEPT_MS),
		},
	];
	const routes = snipeRoutes({
		plans,
		dryRuns: createDryRuns(context, plans),
		wallets,
		ending: ending.signal,
	});
	if (!isOn) core.log.warn("plans are not carried out: NFT_SNIPE_ENABLED is false");
	const tools = [
		...revealTools({ core, index: market.reveals }),
		...plansTools({ plans, wallets, market, ending: ending.signal }),
	];
	return { onCovered, onShown, routes, jobs, tools, ended: () => evaluator.ended() };
}
