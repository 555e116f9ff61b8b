import type { z } from "zod";
import { shareRpc } from "#core/chain/reads/shareRpc.ts";
import { createCommits } from "#core/db/commits/createCommits.ts";
import type { Database } from "#core/db/Database.ts";
import { assert } from "#core/fault/assert.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import { createSteps } from "#core/steps/createSteps.ts";
import { MINUTE_MS, SECOND_MS } from "#core/time/units.ts";
import type { CustodyService } from "#plugins/custody/contract.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import { createChainTroubles } from "#plugins/wallets/chain/createChainTroubles.ts";
import type { Execution, IntentKind } from "#plugins/wallets/contract.ts";
import { createExecution } from "#plugins/wallets/createExecution.ts";
import { createQueueRuns } from "#plugins/wallets/execution/createQueueRuns.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { executionConfig } from "#plugins/wallets/execution/executionConfig.ts";
import type { StepName } from "#plugins/wallets/execution/stepNames.ts";
import { readProfile } from "#plugins/wallets/profile/sql/readProfile.ts";
import { followHeadsJob } from "#plugins/wallets/reconcile/followHeadsJob.ts";
import { reconcileJobs } from "#plugins/wallets/reconcile/reconcileJobs.ts";
import { createNonceClaims } from "#plugins/wallets/submission/createNonceClaims.ts";
import { slowAfterOf } from "#plugins/wallets/watch/judgeWait.ts";

type Config = { [Name in keyof typeof executionConfig]: z.output<(typeof executionConfig)[Name]> };

const SECONDS_PER_MINUTE = 60;
const MICROS = 1_000_000;

/** Opens the path that money leaves by, over the runtime and the deployment's settings. */
export function openExecution(given: {
	core: Core;
	config: Config;
	custody: CustodyService;
	prices: Prices;
	/** Aborts when the service ends. */
	ending: AbortSignal;
}): { deps: ExecutionDeps; execution: Execution; jobs: Job[]; ended(): Promise<void> } {
	const { core, config, custody, prices, ending } = given;
	const kinds = new Map<string, IntentKind<unknown>>();
	const rpcs = new Map(
		core.reached.map(({ chain, rpcFor }) => [chain.id, shareRpc(rpcFor("intents"))]),
	);
	const { clock, log, holder, session } = core;
	const db: Database = core.db;
	const deps: ExecutionDeps = {
		db,
		commits: createCommits(db),
		clock,
		log,
		holder,
		session,
		custody,
		prices,
		rpcOf: (chainId) => rpcs.get(chainId) ?? null,
		kindOf: (name) => kinds.get(name) ?? null,
		steps: createSteps<StepName>(core.observeSteps),
		kindSteps: createSteps<string>(core.observeSteps),
		profileOf: (queryable, id) => readProfile(queryable, { id }),
		newId: () => Bun.randomUUIDv7(),
		nonceClaims: createNonceClaims(),
		queueRuns: createQueueRuns(),
		looks: { underWay: new Set(), troubles: createChainTroubles(), followed: new Set() },
		audit: core.audit,
		settings: {
			isDryRun: config.TRADING_DRY_RUN,
			limits: {
				perTradeUsdMicros: micros(config.TRADING_PER_TRADE_USD_MAX),
				walletNotionalUsdMicros: micros(config.TRADING_WALLET_NOTIONAL_USD_MAX),
				dailyUsdMicros: micros(config.TRADING_DAILY_USD_MAX),
				socialUsdMicros: micros(config.TRADING_SOCIAL_USD_MAX),
				recipientCooldownMs: config.TRADING_RECIPIENT_COOLDOWN_MINUTES * MINUTE_MS,
			},
			networkFeeUsdMicros: micros(config.TRADING_NETWORK_FEE_USD_MAX),
			sendTimeoutMs: custody.callTimeoutMs,
			finalDepthBlocks: config.TRADING_FINAL_DEPTH_BLOCKS,
			quota: {
				burst: config.TRADING_INTENTS_BURST_MAX,
				perSecond: config.TRADING_INTENTS_PER_MINUTE_MAX / SECONDS_PER_MINUTE,
				refusedCost: config.TRADING_REFUSED_INTENT_COST,
			},
			destinations: new Set(config.TRADING_DESTINATIONS),
			slowAfter: slowAfterOf(core.reached, config.TRADING_SLOW_AFTER_SECONDS * SECOND_MS),
		},
	};
	const execution = createExecution(deps, (kind) => {
		assert(!kinds.has(kind.name), `two kinds of intent are called ${kind.name}`);
		kinds.set(kind.name, kind);
	});
	const follow = followHeadsJob({ deps, chains: core.reached, leases: core.leases, ending });
	const jobs = [...reconcileJobs(deps, execution), follow];
	return { deps, execution, jobs, ended: follow.ended };
}

function micros(usd: number): bigint {
	return BigInt(Math.floor(usd * MICROS));
}
