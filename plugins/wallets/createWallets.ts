import { Elysia } from "elysia";
import type { Database } from "#core/db/Database.ts";
import type { Core } from "#core/plugin/Core.ts";
import { quarantineJob } from "#core/quarantine/quarantineJob.ts";
import type { CustodyService } from "#plugins/custody/contract.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import { readLimits } from "#plugins/wallets/agent/readLimits.ts";
import { walletCommands } from "#plugins/wallets/agent/walletCommands.ts";
import { walletTools } from "#plugins/wallets/agent/walletTools.ts";
import { allowanceKind } from "#plugins/wallets/allowance/allowanceKind.ts";
import type { Execution, TradingSetting, Wallets } from "#plugins/wallets/contract.ts";
import { controlRoutes } from "#plugins/wallets/control/controlRoutes.ts";
import { createIdentity } from "#plugins/wallets/createIdentity.ts";
import { intentRow } from "#plugins/wallets/intent/intentRow.ts";
import { cancelForOwner } from "#plugins/wallets/link/cancelForOwner.ts";
import { createLinks } from "#plugins/wallets/link/createLinks.ts";
import { pruneLinksJob } from "#plugins/wallets/link/pruneLinksJob.ts";
import { linkRoutes } from "#plugins/wallets/link/routes/linkRoutes.ts";
import { createOnce } from "#plugins/wallets/once/createOnce.ts";
import { openExecution } from "#plugins/wallets/openExecution.ts";
import { wakeSubmission } from "#plugins/wallets/reconcile/wakeSubmission.ts";
import { resolveRoutes } from "#plugins/wallets/resolve/resolveRoutes.ts";
import type { IdentityConfig } from "#plugins/wallets/session/identityConfig.ts";
import { submissionRow } from "#plugins/wallets/submission/submissionRow.ts";
import { createWatch } from "#plugins/wallets/watch/createWatch.ts";

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
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

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
	const service: Wallets = {
		...identity.service,
		execution,
		once: createOnce(deps),
		cancel: (intentId, by) => cancelForOwner(deps, links, { intentId, ...by }),
		link: (intent, purpose) => links.make(intent, purpose),
	};
	const control = controlRoutes({
		core,
		contributed: options.contributed,
		plugins: () => senders,
	});
	const chainOf = (chainId: number) => core.chains.byId(chainId) ?? null;
	custody.onWebhook((id) => wakeSubmission(db, { id, at: new Date(core.clock.nowMs()) }));
	const routes = new Elysia()
		.use(identity.routes)
		.use(control)
		.use(resolveRoutes({ deps, core, ending }))
		.use(linkRoutes({ deps, links, execution, authenticate, chainOf, ending }));
	const chainName = (chainId: number) => chainOf(chainId)?.slug ?? "unknown";
	const agent = {
		tools: walletTools({
			wallets: service,
			core,
			limitsOf: (profile) => readLimits(deps, profile),
			ending,
		}),
		commands: walletCommands,
		callerOf: identity.callerOf,
	};
	const watch = createWatch({ deps, metrics: core.metrics, chainName });
	const sources = [intentRow, submissionRow];
	const quarantine = quarantineJob({ ...core, owner: "wallets", sources });
	const jobs = [...identity.jobs, ...opened.jobs, pruneLinksJob(core), quarantine, watch.job];
	return { service, routes, jobs, agent, degraded: watch.degraded, ended: opened.ended };
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
