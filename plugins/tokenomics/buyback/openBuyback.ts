import { randomInt } from "node:crypto";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import { createSteps } from "#core/steps/createSteps.ts";
import { SECOND_MS } from "#core/time/units.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import {
	type BuybackConfig,
	boundsOf,
	refuseImpossible,
} from "#plugins/tokenomics/buyback/buybackConfig.ts";
import { buybackKind } from "#plugins/tokenomics/buyback/buybackKind.ts";
import { RUN_TIMEOUT_MS } from "#plugins/tokenomics/buyback/limits.ts";
import { type BuybackStatus, readStatus } from "#plugins/tokenomics/buyback/readStatus.ts";
import { releaseKind } from "#plugins/tokenomics/buyback/releaseKind.ts";
import { type TurnDeps, takeTurn } from "#plugins/tokenomics/buyback/takeTurn.ts";
import type { Contracts } from "#plugins/tokenomics/manifest/createContracts.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

export type Buyback = {
	jobs: Job[];
	/** Takes a turn at once, without waiting for it. */
	start(): void;
	/** Resolves when no turn is under way any more; the ending signal calls it off. */
	ended(): Promise<void>;
	/** Null: the deployment reaches no chain that the token could be on. */
	status(): Promise<BuybackStatus | null>;
};

const RANDOM_STEPS = 2 ** 32;

/** Registers what a buyback sends, and returns the job that begins them. */
export function openBuyback(options: {
	core: Core;
	config: BuybackConfig;
	wallets: Wallets;
	prices: Prices;
	contracts: Contracts;
	/** Aborts when the service ends. */
	ending: AbortSignal;
}): Buyback {
	const { core, config, wallets, prices, contracts, ending } = options;
	refuseImpossible(config);
	const { home } = contracts;
	if (!home) return { jobs: [], start() {}, ended: async () => {}, status: async () => null };
	const { chain } = home;
	const { clock, log, db } = core;
	const turns = core.metrics.counter({
		name: "buyback_turns_total",
		help: "Turns of the buyback job, by what they came to: began, or why nothing was spent.",
		labels: ["code"],
	});
	const rpc: Rpc = home.rpcFor("intents");
	const deps: TurnDeps = {
		...{ clock, log, db, rpc, chain, wallets, prices },
		quoter: config.BUYBACK_V3_QUOTER,
		currencies: config.BUYBACK_CURRENCIES,
		bounds: boundsOf(config),
		isEnabled: config.BUYBACK_ENABLED,
		walletId: config.BUYBACK_WALLET_ID ?? null,
		contractsNow: (queryable) => contracts.addressesOf(chain.id, queryable),
		steps: createSteps(core.observeSteps),
		jitterMs: config.BUYBACK_JITTER_SECONDS * SECOND_MS,
		random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS,
		count: (code) => turns.inc({ code }),
	};
	wallets.execution.register(releaseKind(deps));
	wallets.execution.register(buybackKind(deps));
	const run = async ({ signal }: { signal: AbortSignal }) => {
		await takeTurn(deps, AbortSignal.any([signal, ending]));
	};
	const job: Job = {
		name: "tokenomics.buyback",
		schedule: { cron: "0 */10 * * * *" },
		lock: "cluster",
		timeoutMs: RUN_TIMEOUT_MS,
		run,
	};
	let first = Promise.resolve();
	return {
		// Switched off it has no turns: what was recorded before is denied when it is planned.
		jobs: deps.isEnabled ? [job] : [],
		start() {
			if (core.role === "api" || !deps.isEnabled) return;
			first = run({ signal: AbortSignal.timeout(RUN_TIMEOUT_MS) }).catch((error) => {
				if (!ending.aborted) log.error("the first buyback turn failed", { error });
			});
		},
		ended: () => first,
		status: () => readStatus({ db, execution: wallets.execution, chainId: chain.id }, config),
	};
}
