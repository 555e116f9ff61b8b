import { chainAccess } from "#api/service/chainAccess.ts";
import { loadPlugins } from "#api/service/loadPlugins.ts";
import { openShared, type Shared } from "#api/service/openShared.ts";
import { openStorage, type Storage } from "#api/service/openStorage.ts";
import { readyReport } from "#api/service/readyReport.ts";
import { pluginNames, sectionsOf } from "#api/service/sectionsOf.ts";
import { VERSION } from "#api/version.ts";
import { createOperators } from "#core/admin/createOperators.ts";
import { auditHeadJob } from "#core/audit/auditHeadJob.ts";
import type { AuditBook } from "#core/audit/book/AuditBook.ts";
import { sealBookJob } from "#core/audit/book/sealBookJob.ts";
import { createAudit } from "#core/audit/createAudit.ts";
import { type AuditWatch, createAuditWatch } from "#core/audit/watch/createAuditWatch.ts";
import { inProcessBus } from "#core/bus/inProcessBus.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/chainRegistry.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { systemClock } from "#core/clock/systemClock.ts";
import type { CoreConfig } from "#core/config/coreConfig.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { secretsOf } from "#core/config/secretsOf.ts";
import { databaseTime } from "#core/db/databaseTime.ts";
import { openForeignFetch } from "#core/foreign/openForeignFetch.ts";
import { createHttpApp } from "#core/http/createHttpApp.ts";
import { type HttpListener, listenHttp } from "#core/http/listenHttp.ts";
import { createLeaseKeeper } from "#core/lease/createLeaseKeeper.ts";
import { createLog } from "#core/log/createLog.ts";
import type { Log } from "#core/log/Log.ts";
import { dropColdCode } from "#core/memory/dropColdCode.ts";
import { createMetrics, type Metrics } from "#core/metrics/createMetrics.ts";
import { createOutbox } from "#core/outbox/createOutbox.ts";
import { pruneFramesJob } from "#core/outbox/pruneFramesJob.ts";
import { AuditBookPoint } from "#core/plugin/AuditBookPoint.ts";
import { ChainPoint } from "#core/plugin/ChainPoint.ts";
import type { Core } from "#core/plugin/Core.ts";
import { contributionsOf } from "#core/plugin/contributionsOf.ts";
import { createHost, type Host } from "#core/plugin/createHost.ts";
import { orderPlugins } from "#core/plugin/orderPlugins.ts";
import { createJobQueue } from "#core/queue/createJobQueue.ts";
import { runQueueWorkers } from "#core/queue/runQueueWorkers.ts";
import { runSchedules } from "#core/schedule/runSchedules.ts";
import type { StepObserver } from "#core/steps/Steps.ts";

const QUEUE_CONCURRENCY = 4;

export type Service = {
	url: string;
	core: Core;
	host: Host;
	config: CoreConfig;
	storage: Storage;
	shared: Shared;
	/** Stops everything in order, once; later calls wait for the first. */
	stop(): Promise<void>;
};

export type ServiceOptions = {
	env: Environment;
	clock?: Clock;
	/** Replaces the log that the configuration asks for. */
	log?: Log;
	/** For tests that kill a process between two steps of what moves money. */
	observeSteps?: StepObserver;
};

/** Brings the whole service up in this process, or fails with a Fault that says why. */
export async function startService(options: ServiceOptions): Promise<Service> {
	const { env, clock = systemClock } = options;
	const { loaded, disabled } = pluginNames(env);
	const plugins = orderPlugins(await loadPlugins(loaded, disabled));
	const sections = sectionsOf(plugins);
	const parsed = parseConfig(sections.all, env);
	const config = parsed.of(sections.core);
	const secrets = secretsOf(sections.all, env);
	const log = options.log ?? createLog({ level: config.LOG_LEVEL, clock, secrets });
	for (const warning of parsed.warnings) log.warn(warning);

	const chains = createChainRegistry([...builtinChains, ...contributionsOf(plugins)(ChainPoint)]);
	const metrics = createMetrics();
	let opened: Storage | null = null;
	const db = () => opened?.db ?? null;
	const access = chainAccess(config, chains, log, { clock, metrics, db });
	const storage = await openStorage(config, plugins, log);
	opened = storage;
	const undo: (() => Promise<void>)[] = [() => storage.close()];
	try {
		const world = { config, clock, log, metrics, db: storage.db };
		const shared = await share(world);
		undo.push(() => shared.close());
		const { holder, session } = storage;
		const observeSteps = options.observeSteps ?? null;
		const made = { ...world, ...access, shared, chains, holder, session, observeSteps };
		const core = makeCore(made);
		undo.push(() => core.leases.stop());
		const host = await createHost({ plugins, config: parsed, core });
		await dropColdCode();
		const books = contributionsOf(plugins)(AuditBookPoint);
		const auditWatch = createAuditWatch({ ...core, books });
		const running = await run({ core, host, config, shared, books, auditWatch }, undo);
		return { ...running, core, host, config, storage, shared };
	} catch (error) {
		// What went wrong first is what the operator must read.
		await undoAll(undo, log);
		throw error;
	}
}

type World = Pick<Core, "clock" | "log" | "db"> & { config: CoreConfig; metrics: Metrics };

function share({ config, clock, log, metrics, db }: World): Promise<Shared> {
	// What numbers the frames also tells whose they are: processes on another database, or on a
	// restored one, neither hear our hints nor read our pages.
	const deployment = () => createOutbox({ db, bus: inProcessBus(log), clock }).epoch();
	return openShared({ redisUrl: config.REDIS_URL, db, deployment, clock, log, metrics });
}

type Made = World &
	Pick<Core, "chains" | "indexed" | "reached" | "holder" | "session" | "observeSteps"> & {
		shared: Shared;
	};

function makeCore(made: Made): Core {
	const { config, clock, log, db, metrics, shared, chains, indexed, holder, session } = made;
	const { reached, observeSteps } = made;
	const { bus, pageCache, budget } = shared;
	return {
		role: config.ROLE,
		holder,
		session,
		leases: createLeaseKeeper({ db, holder, session, clock, log }),
		clock,
		log,
		db,
		bus,
		outbox: createOutbox({ db, bus, clock }),
		queue: createJobQueue(),
		pageCache,
		budget,
		foreignFetch: openForeignFetch(config),
		metrics,
		audit: createAudit({ clock }),
		operators: createOperators({ apiKey: config.ADMIN_API_KEY, clock, metrics }),
		chains,
		indexed,
		reached,
		observeSteps,
		allowedOrigins: config.WEB_ALLOWED_ORIGINS,
	};
}

type Parts = {
	core: Core;
	host: Host;
	config: CoreConfig;
	shared: Shared;
	books: readonly AuditBook[];
	auditWatch: AuditWatch;
};

/** Starts what runs, in order; `undo` collects how to end it, for a boot that fails half way. */
async function run(parts: Parts, undo: (() => Promise<void>)[]) {
	const { core, host } = parts;
	const works = core.role !== "api";
	await host.start();
	undo.push(() => host.stop());
	if (works) {
		const { db, log, clock, outbox } = core;
		const { tasks } = host;
		const workers = await runQueueWorkers({ db, tasks, concurrency: QUEUE_CONCURRENCY, log });
		undo.push(() => workers.stop());
		const jobs = [
			pruneFramesJob(outbox, clock),
			auditHeadJob({ db, log }),
			...parts.books.map((book) => sealBookJob(core, book)),
			...parts.auditWatch.jobs,
			...host.jobs,
		];
		const schedules = runSchedules({ db, nowMs: () => databaseTime(db), log, jobs });
		undo.push(() => schedules.stop());
	}
	const listener = await listen(parts);
	undo.push(() => listener.stop());

	let stopped: Promise<void> | null = null;
	return {
		url: listener.url,
		stop() {
			stopped ??= undoAll(undo, core.log);
			return stopped;
		},
	};
}

/**
 * The last that began ends first. A part that does not end well is named, and the others still end.
 */
async function undoAll(undo: (() => Promise<void>)[], log: Log): Promise<void> {
	for (const step of undo.splice(0).reverse()) {
		await step().catch((error) => log.error("a part did not stop", { error }));
	}
}

function listen({ core, host, config, shared, auditWatch }: Parts): Promise<HttpListener> {
	const app = createHttpApp({
		log: core.log,
		clock: core.clock,
		metrics: core.metrics,
		limiter: shared.limiter,
		allowedOrigins: config.WEB_ALLOWED_ORIGINS,
		trustedProxyHops: config.TRUSTED_PROXY_HOPS,
		trustedProxies: config.TRUSTED_PROXIES,
		listensOn: config.HOST,
		publicUrl: config.PUBLIC_URL,
		sandbox: config.SANDBOX,
		version: VERSION,
		// `holder` is the name under which this process stands in the table of leases.
		health: async () => ({ status: "ok", role: core.role, holder: core.holder }),
		ready: async () => {
			const report = await readyReport(core, host, auditWatch);
			return { ...report, components: [...report.components, ...shared.components()] };
		},
		// A worker has no market routes: it only says how it is.
		routes: core.role === "worker" ? [] : host.routes,
	});
	return Promise.resolve(listenHttp(app, { host: config.HOST, port: config.PORT, log: core.log }));
}
