// Wires up the service that other plugins get, with its routes and jobs.

import { Elysia } from "elysia";
import type { z } from "zod";
import { shareRpc } from "#core/chain/reads/shareRpc.ts";
import { createCommits } from "#core/db/createCommits.ts";
import type { Database, Queryable, Tx } from "#core/db/Database.ts";
import { readBack } from "#core/db/migrate.ts";
import { assert } from "#core/fault.ts";
import { createOriginPolicy } from "#core/http/createOriginPolicy.ts";
import type { Core } from "#core/plugin/Core.ts";
import { quarantineFault, quarantineJob } from "#core/quarantine.ts";
import type { Job } from "#core/schedule.ts";
import { createSteps } from "#core/steps.ts";
import { MINUTE_MS, SECOND_MS } from "#core/time.ts";
import type { CustodyService } from "#plugins/custody/contract.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import { readLimits, readSpending } from "#plugins/wallets/agent/readWallet.ts";
import { walletCommands, walletTools } from "#plugins/wallets/agent/walletTools.ts";
import { allowanceKind } from "#plugins/wallets/allowance.ts";
import { cancelIntent } from "#plugins/wallets/cancel/cancelIntent.ts";
import { createChainTroubles } from "#plugins/wallets/chain/readAccount.ts";
import { controlRoutes } from "#plugins/wallets/control/settings.ts";
import { createIdentity } from "#plugins/wallets/createIdentity.ts";
import { advanceBatch } from "#plugins/wallets/execution/advanceBatch.ts";
import { createQueueRuns } from "#plugins/wallets/execution/continueQueued.ts";
import type { ExecutionDeps, StepName } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { recordSigned } from "#plugins/wallets/execution/handOver.ts";
import { askingOf } from "#plugins/wallets/execution/linkedSteps.ts";
import { executionFault, readyIntents } from "#plugins/wallets/execution/prepareIntent.ts";
import { readSignature } from "#plugins/wallets/execution/sign.ts";
import type { IntentKind } from "#plugins/wallets/IntentKind.ts";
import { confirmIntent } from "#plugins/wallets/intent/Intent.ts";
import {
	insertIntents,
	intentRow,
	listIntents,
	readIntents,
	readTogether,
} from "#plugins/wallets/intent/intentRow.ts";
import type { executionConfig } from "#plugins/wallets/limits.ts";
import { createLinks, pruneLinksJob } from "#plugins/wallets/link/createLinks.ts";
import { linkRoutes, requireOwnPage } from "#plugins/wallets/link/linkRoutes.ts";
import { cancelForOwner } from "#plugins/wallets/link/useLink.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { createOnce } from "#plugins/wallets/once/createOnce.ts";
import { readProfile } from "#plugins/wallets/profile/sql.ts";
import { chargeFor, quotaRefusal } from "#plugins/wallets/quota.ts";
import { followHeadsJob } from "#plugins/wallets/reconcile/followHeads.ts";
import { wakeSubmission } from "#plugins/wallets/reconcile/looks.ts";
import { reconcileJobs } from "#plugins/wallets/reconcile/reconcileJobs.ts";
import { resolveRoutes } from "#plugins/wallets/resolve/resolveRoutes.ts";
import { type OwnedActions, tellOwnJob } from "#plugins/wallets/routes/ownActions.ts";
import { ownIntentRoutes, stepRoutes } from "#plugins/wallets/routes/ownIntentRoutes.ts";
import type { IdentityConfig } from "#plugins/wallets/session/createSessions.ts";
import { readHeld } from "#plugins/wallets/spend/spend.ts";
import { createNonceClaims } from "#plugins/wallets/submission/nonceQueue.ts";
import { failoverJob, noteBlackout, noteFailover } from "#plugins/wallets/submission/strays.ts";
import { submissionRow } from "#plugins/wallets/submission/submission.ts";
import {
	createTokenBook,
	type Execution,
	type NewIntent,
	type TradingSetting,
	type Wallets,
} from "#plugins/wallets/Wallets.ts";
import { createWatch } from "#plugins/wallets/watch/createWatch.ts";
import { slowAfterOf } from "#plugins/wallets/watch/judgeWait.ts";

export type WalletsOptions = {
	core: Core;
	config: IdentityConfig &
		Parameters<typeof openExecution>[0]["config"] & {
			HOST: string;
			PORT: number;
		};
	custody: CustodyService;
	prices: Prices;
	/** Settings that other plugins let operators change. */
	contributed: readonly TradingSetting[];
	/** What other plugins list for people beside intents. */
	owned: readonly OwnedActions[];
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

type Config = { [Name in keyof typeof executionConfig]: z.output<(typeof executionConfig)[Name]> };

const SECONDS_PER_MINUTE = 60;
const MICROS = 1_000_000;

/** Makes the service that other plugins get, with its routes and jobs. */
export function createWallets(options: WalletsOptions) {
	const { core, config, custody, prices, ending } = options;
	const opened = openExecution({ core, config, custody, prices, ending });
	const { deps } = opened;
	const identity = createIdentity({
		core,
		config,
		custody,
		audit: core.audit,
		limits: deps.settings.limits,
		dryRun: deps.settings.isDryRun,
	});
	const senders = new Set<string>();
	const execution: Execution = {
		...opened.execution,
		register(kind) {
			senders.add(kind.plugin);
			opened.execution.register(kind);
		},
	};
	execution.register(allowanceKind({ clock: core.clock, rpcOf: deps.rpcOf }));
	const db: Database = core.db;
	const links = createLinks({ ...deps, db, publicUrl: publicUrlOf(config) });
	const { authenticate } = identity.service;
	const { allowedOrigins } = core;
	const origins = createOriginPolicy({ allowedOrigins, publicUrl: config.PUBLIC_URL });
	const service: Wallets = {
		...identity.service,
		execution,
		once: createOnce(deps),
		cancel: (intentId, by) => cancelForOwner(deps, links, { intentId, ...by }),
		link: (intent, purpose) => links.askOwner(intent, purpose),
		requireOwnPage: (request, asked) => requireOwnPage(request, { origins }, asked),
	};
	const { contributed } = options;
	const control = controlRoutes({ core, contributed, plugins: () => senders });
	const chainOf = (chainId: number) => core.chains.byId(chainId) ?? null;
	custody.onWebhook((id) => wakeSubmission(db, { id, at: new Date(core.clock.nowMs()) }));
	const own = { db, chains: core.chains, owned: options.owned };
	const routes = new Elysia()
		.use(identity.routes)
		.use(control)
		.use(resolveRoutes({ deps, core, ending }))
		.use(stepRoutes({ authenticate, execution, chains: core.chains }))
		.use(ownIntentRoutes({ authenticate, execution, ...own, kindOf: deps.kindOf }))
		.use(linkRoutes({ deps, links, execution, authenticate, chainOf, origins, ending }));
	const chainName = (chainId: number) => chainOf(chainId)?.slug ?? "unknown";
	const agent = {
		tools: walletTools({
			wallets: service,
			core,
			limitsOf: (profile) => readLimits(deps, profile),
			spendingOf: (profile, period) => readSpending(deps, profile, period),
			ending,
		}),
		commands: walletCommands,
		callerOf: identity.callerOf,
	};
	const watch = createWatch({ deps, metrics: core.metrics, chainName });
	const sources = [intentRow, submissionRow];
	const quarantine = quarantineJob({ ...core, owner: "wallets", sources });
	const jobs = [
		...identity.jobs,
		...opened.jobs,
		pruneLinksJob(core),
		tellOwnJob({ ...own, outbox: core.outbox, log: core.log }),
		quarantine,
		watch.job,
	].concat(failoverJob(core));
	const start = async () => {
		await noteFailover(db);
		const since = await noteBlackout(db, { isSaid: config.RESTORED });
		if (since === null) return;
		const what = "the database was away: wallets are read before they spend, since that time";
		core.log.warn(what, { since, isSaid: config.RESTORED });
	};
	return { service, routes, jobs, agent, degraded: watch.degraded, start, ended: opened.ended };
}

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

/** Creates the one path that money leaves by. Kinds are registered beside it. */
export function createExecution(
	deps: ExecutionDeps,
	register: (kind: IntentKind<unknown>) => void,
): Execution {
	const only = async (id: string): Promise<Intent> => {
		const [intent] = await readIntents(deps.db, [id]);
		if (!intent) throw executionFault.notFound();
		return intent;
	};
	const change = async (
		intentId: string,
		act: (tx: Tx, intent: Intent) => Promise<unknown>,
	): Promise<Intent> => {
		await deps.steps.run("commit.owner", () =>
			deps.db.transaction(async (tx) => {
				await tx.query("select 1 from wallets.intent where id = $1 for no key update", [intentId]);
				const [intent] = await readIntents(tx, [intentId]);
				if (!intent) throw executionFault.notFound();
				await act(tx, intent);
			}),
		);
		return readBack(() => only(intentId));
	};
	return {
		register: (kind) => register(kind),
		tokens: createTokenBook(),
		create: (tx, intents) => create(deps, tx, intents),
		async advance(intentIds, signal, recorded = null) {
			const known = recorded?.intents ?? (await readTogether(deps.db, intentIds));
			const profile = recorded?.profile;
			let sent: Intent | null = null;
			for (const intents of batchesOf(known)) {
				if (intents.every(({ status }) => status === "created")) {
					sent = await advanceBatch(deps, { intents, profile, signal });
				}
			}
			const isAll = intentIds.length === 1 && intentIds[0] === sent?.id;
			return sent && isAll ? [sent] : readIntents(deps.db, intentIds);
		},
		async approve(intentId, planHash) {
			const at = new Date(deps.clock.nowMs());
			return change(intentId, async (tx, intent) => {
				if (intent.planHash !== planHash) throw executionFault.planChanged();
				if (intent.expiresAtMs <= at.getTime()) throw executionFault.intentState();
				const moved = await confirmIntent(tx, { intentId, by: "owner", at });
				if (moved === null) throw executionFault.intentState();
			});
		},
		signed: (intentId, transactionHash, early) =>
			change(intentId, (tx, intent) => recordSigned(deps, tx, { intent, transactionHash, early })),
		cancel: (intentId, by) => cancelIntent(deps, { intentId, ...by }),
		async read(intentId, profileId) {
			const [intent] = await readIntents(deps.db, [intentId]);
			if (!intent) await refuseUnreadable(deps.db, { intentId, profileId });
			return intent?.profileId === profileId ? intent : null;
		},
		signatureOf: (intentId) => readSignature(deps.db, intentId),
		asking: (intent) => askingOf(deps.db, intent),
		held: (tx, intentIds) => readHeld(tx, intentIds),
		list: (profileId, page) => listIntents(deps.db, { profileId, ...page }),
	};
}

/** Returns where links lead. Without PUBLIC_URL this machine alone can follow them. */
function publicUrlOf(config: WalletsOptions["config"]): string {
	const { PUBLIC_URL, HOST, PORT } = config;
	if (PUBLIC_URL !== undefined) return PUBLIC_URL;
	// A port that is only chosen later: then links are relative to the service.
	if (PORT === 0) return "";
	const isAny = HOST === "0.0.0.0" || HOST === "::";
	const host = isAny ? "127.0.0.1" : HOST.includes(":") ? `[${HOST}]` : HOST;
	return `http://${host}:${PORT}`;
}

function micros(usd: number): bigint {
	return BigInt(Math.floor(usd * MICROS));
}

async function create(deps: ExecutionDeps, tx: Tx, given: readonly NewIntent[]): Promise<Intent[]> {
	const made = readyIntents(deps, given);
	const profileId = given[0]?.profile.id;
	assert(profileId !== undefined, "at least one intent is made");
	const charge = chargeFor(deps, { ...made, profileId });
	const recorded = await insertIntents(tx, made, charge);
	if (!recorded) throw await quotaRefusal(tx, charge);
	return recorded;
}

function batchesOf(intents: readonly Intent[]): Intent[][] {
	return [...Map.groupBy(intents, ({ batchId, id }) => batchId ?? id).values()];
}

/** Throws another fault than `not_found` where an intent exists and its row cannot be read. */
async function refuseUnreadable(
	db: Queryable,
	{ intentId, profileId }: { intentId: string; profileId: string },
): Promise<void> {
	const rows = await db.query("select 1 from wallets.intent where id = $1 and profile_id = $2", [
		intentId,
		profileId,
	]);
	if (rows.length > 0) throw quarantineFault.rowUnreadable({ detail: intentId });
}
