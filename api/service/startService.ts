// Starts the whole service in this process, and says when it is ready (`/readyz`).

import { isAbsolute, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { builtinPlugins } from "#api/builtinPlugins.ts";
import { chainAccess, serviceFault, unknownChains } from "#api/service/chainAccess.ts";
import { openShared, openStorage, type Shared, type Storage } from "#api/service/openStorage.ts";
import { VERSION } from "#api/version.ts";
import { sealBookJob } from "#core/audit/book.ts";
import type { AuditBook } from "#core/audit/bookSql.ts";
import { createAudit } from "#core/audit/createAudit.ts";
import { type AuditWatch, createAuditWatch } from "#core/audit/createAuditWatch.ts";
import { auditHeadJob } from "#core/audit/verifyChain.ts";
import { inProcessBus } from "#core/bus.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { type Clock, systemClock, systemCounter } from "#core/clock.ts";
import { type CoreConfig, coreConfig } from "#core/config/coreConfig.ts";
import type { ConfigSection } from "#core/config/fields.ts";
import { parseConfig } from "#core/config/parseConfig.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { secretsOf } from "#core/config/renderConfig.ts";
import { databaseTime } from "#core/db/migrate.ts";
import { openForeignFetch } from "#core/foreign/createForeignFetch.ts";
import { createHttpApp, type ReadyReport } from "#core/http/createHttpApp.ts";
import { type HttpListener, listenHttp } from "#core/http/listenHttp.ts";
import { createLeaseKeeper } from "#core/lease.ts";
import { createLog, type Log } from "#core/log.ts";
import { createMetrics, type Metrics } from "#core/metrics.ts";
import { createOperators } from "#core/operators.ts";
import { createOutbox, pruneFramesJob } from "#core/outbox.ts";
import type { Core } from "#core/plugin/Core.ts";
import { createHost, type Host, orderPlugins } from "#core/plugin/createHost.ts";
import {
	type AnyPlugin,
	AuditBookPoint,
	ChainPoint,
	contributionsOf,
} from "#core/plugin/Plugin.ts";
import { createJobQueue } from "#core/queue.ts";
import { runQueueWorkers } from "#core/runQueueWorkers.ts";
import { runSchedules } from "#core/schedule.ts";
import { createServiceClock, type ServiceClock } from "#core/serviceClock.ts";
import type { StepObserver } from "#core/steps.ts";

export type Service = {
	url: string;
	core: Core;
	host: Host;
	config: CoreConfig;
	storage: Storage;
	shared: Shared;
	/** Says what `/readyz` answers. */
	ready(): Promise<ReadyReport>;
	/** Stops everything in order, once; later calls wait for the first. */
	stop(): Promise<void>;
};

export type ServiceOptions = {
	env: Environment;
	/** The machine's clock, which may be wrong: time is the database's (`core/serviceClock`). */
	clock?: Clock;
	/** Replaces the time in tests: the machine's and, as far as we ask it, the database's. */
	time?: Clock;
	/** Replaces the log that the configuration asks for. */
	log?: Log;
	/** Lets tests kill a process between two steps that move money. */
	observeSteps?: StepObserver;
};

type World = Pick<Core, "log" | "db"> & {
	clock: ServiceClock;
	config: CoreConfig;
	metrics: Metrics;
	aheadMs: () => number;
};

type Made = World &
	Pick<Core, "chains" | "indexed" | "reached" | "holder" | "session" | "observeSteps"> & {
		shared: Shared;
	};

type Parts = {
	core: Core;
	clock: ServiceClock;
	host: Host;
	config: CoreConfig;
	shared: Shared;
	books: readonly AuditBook[];
	auditWatch: AuditWatch;
};

const core: ConfigSection<typeof coreConfig> = { owner: "core", schema: coreConfig };

/**
 * Declares which plugins to load: read before the rest, because only then are all variables known.
 */
const loading: ConfigSection = {
	owner: "core",
	schema: coreConfig.pick({ PLUGINS: true, PLUGINS_DISABLED: true }),
};

const QUEUE_CONCURRENCY = 4;

/** Brings the whole service up in this process, or fails with a Fault that says why. */
export async function startService(options: ServiceOptions): Promise<Service> {
	const { env, time, clock: machine = time ?? systemClock } = options;
	const { loaded, disabled } = pluginNames(env);
	const plugins = orderPlugins(await loadPlugins(loaded, disabled));
	const sections = sectionsOf(plugins);
	const chains = createChainRegistry([...builtinChains, ...contributionsOf(plugins)(ChainPoint)]);
	const parsed = parseConfig(sections.all, env, unknownChains(env, chains));
	const config = parsed.of(sections.core);
	const secrets = secretsOf(sections.all, env);
	const log = options.log ?? createLog({ level: config.LOG_LEVEL, clock: machine, secrets });
	for (const warning of parsed.warnings) log.warn(warning);

	const metrics = createMetrics();
	let opened: Storage | null = null;
	const db = () => opened?.db ?? null;
	const clock = createServiceClock({
		...{ machine, log, elapsedMs: time ? () => time.nowMs() : systemCounter },
		databaseTime: async () => time?.nowMs() ?? databaseTime(storage.db),
	});
	const access = chainAccess(config, chains, log, { clock, metrics, db });
	const storage = await openStorage(config, plugins, log);
	opened = storage;
	const undo: (() => Promise<void>)[] = [() => storage.close()];
	try {
		await clock.measure();
		const measuring = clock.keep();
		undo.push(() => measuring.stop());
		const aheadMs = () => (time ? Math.round(time.nowMs() - systemClock.nowMs()) : 0);
		const world = { config, clock, log, metrics, db: storage.db, aheadMs };
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
		const running = await run({ core, clock, host, config, shared, books, auditWatch }, undo);
		return { ...running, core, host, config, storage, shared };
	} catch (error) {
		// What went wrong first is what the operator must read.
		await undoAll(undo, log);
		throw error;
	}
}

/**
 * Loads the built-in plugins without those left out, and the modules that the operator names.
 *
 * A module exports one plugin under any name. A path is taken from the working directory.
 */
export async function loadPlugins(
	moduleNames: readonly string[],
	disabled: readonly string[],
): Promise<AnyPlugin[]> {
	const unknown = disabled.filter((name) => !builtinPlugins.some((plugin) => plugin.name === name));
	if (unknown.length > 0) {
		const known = builtinPlugins.map(({ name }) => name).join(", ");
		throw serviceFault.pluginModule({
			public: `PLUGINS_DISABLED names ${unknown.join(", ")}. Built in are: ${known}.`,
		});
	}
	const kept = builtinPlugins.filter(({ name }) => !disabled.includes(name));
	const loaded: AnyPlugin[] = [];
	for (const name of moduleNames) loaded.push(...(await loadModule(name)));
	return [...kept, ...loaded];
}

/**
 * Reports whether this process may be sent requests: its database answers, and its plugins are
 * well. What does not go as it should is named beside that, and makes nothing unready. Without its
 * database nobody is asked for it.
 */
export async function readyReport(
	core: Core,
	host: Host,
	audit: Pick<AuditWatch, "degraded">,
	clock: Pick<ServiceClock, "degraded">,
): Promise<ReadyReport> {
	const database = await core.db.query("select 1").then(
		() => ({ name: "database", ready: true }),
		() => ({ name: "database", ready: false, detail: "does not answer" }),
	);
	const components = [database];
	for (const [name, trouble] of await host.health()) {
		components.push(
			trouble === null ? { name, ready: true } : { name, ready: false, detail: trouble },
		);
	}
	const ready = components.every((component) => component.ready);
	return { ready, components, degraded: ready ? await degradedOf(host, audit, clock) : [] };
}

/** Reads which modules to load, and which built-in plugins to leave out. */
export function pluginNames(env: Environment): { loaded: string[]; disabled: string[] } {
	const schema = coreConfig.pick({ PLUGINS: true, PLUGINS_DISABLED: true });
	const { PLUGINS, PLUGINS_DISABLED } = parseConfig([loading], env).of({ owner: "core", schema });
	return { loaded: PLUGINS, disabled: PLUGINS_DISABLED };
}

/** Returns the sections of the configuration: the runtime's and every plugin's. */
export function sectionsOf(plugins: readonly AnyPlugin[]) {
	const own = plugins.map((plugin): ConfigSection => {
		return { owner: plugin.name, schema: plugin.config };
	});
	return { core, all: [core, ...own] };
}

function share({ config, clock, log, metrics, db, aheadMs }: World): Promise<Shared> {
	// What numbers the frames also tells whose they are: processes on another database, or on a
	// restored one, neither hear our hints nor read our pages.
	const deployment = () => createOutbox({ db, bus: inProcessBus(log), clock }).epoch();
	const { REDIS_URL: redisUrl } = config;
	return openShared({ redisUrl, db, deployment, clock, log, metrics, aheadMs });
}

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

/** Starts what runs, in order; `undo` collects how to end it, for a boot that fails half way. */
async function run(parts: Parts, undo: (() => Promise<void>)[]) {
	const { core, host } = parts;
	const works = core.role !== "api";
	const ready = async () => {
		const report = await readyReport(core, host, parts.auditWatch, parts.clock);
		return { ...report, components: [...report.components, ...parts.shared.components()] };
	};
	await host.start();
	undo.push(() => host.stop());
	if (works) {
		const { db, log, outbox } = core;
		const { isOff: isClockOff, measure: nowMs } = parts.clock;
		const { tasks } = host;
		const concurrency = QUEUE_CONCURRENCY;
		const workers = await runQueueWorkers({ db, tasks, concurrency, isClockOff, log });
		undo.push(() => workers.stop());
		const jobs = [
			pruneFramesJob(outbox),
			auditHeadJob({ db, log }),
			...parts.books.map((book) => sealBookJob(core, book)),
			...parts.auditWatch.jobs,
			...host.jobs,
		];
		const schedules = runSchedules({ db, nowMs, isClockOff, log, jobs });
		undo.push(() => schedules.stop());
	}
	const listener = await listen(parts, ready);
	undo.push(() => listener.stop());

	let stopped: Promise<void> | null = null;
	return {
		url: listener.url,
		ready,
		stop() {
			stopped ??= undoAll(undo, core.log);
			return stopped;
		},
	};
}

function listen(
	{ core, host, config, shared }: Parts,
	ready: Service["ready"],
): Promise<HttpListener> {
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
		ready,
		// A worker has no market routes: it only says how it is.
		routes: core.role === "worker" ? [] : host.routes,
	});
	return Promise.resolve(listenHttp(app, { host: config.HOST, port: config.PORT, log: core.log }));
}

/**
 * Ends what was begun, the last first. A part that does not end well is named, and the others still
 * end.
 */
async function undoAll(undo: (() => Promise<void>)[], log: Log): Promise<void> {
	for (const step of undo.splice(0).reverse()) {
		await step().catch((error) => log.error("a part did not stop", { error }));
	}
}

async function loadModule(name: string): Promise<AnyPlugin[]> {
	const isPath = name.startsWith(".") || isAbsolute(name);
	const specifier = isPath ? pathToFileURL(resolve(name)).href : name;
	let exported: Record<string, unknown>;
	try {
		exported = await import(specifier);
	} catch (cause) {
		const text = String(cause).slice(0, 300);
		throw serviceFault.pluginModule({ public: `PLUGINS: "${name}" does not load: ${text}`, cause });
	}
	const plugins = Object.values(exported).filter(isPlugin);
	if (plugins.length === 0) {
		throw serviceFault.pluginModule({ public: `PLUGINS: "${name}" exports no plugin.` });
	}
	return plugins;
}

function isPlugin(value: unknown): value is AnyPlugin {
	if (typeof value !== "object" || value === null) return false;
	return "name" in value && "setup" in value && typeof value.setup === "function";
}

async function degradedOf(
	host: Host,
	audit: Pick<AuditWatch, "degraded">,
	clock: Pick<ServiceClock, "degraded">,
): Promise<ReadyReport["degraded"]> {
	const [ofAudit, ofPlugins] = await Promise.all([audit.degraded(), host.degraded()]);
	return [
		...[...clock.degraded(), ...ofAudit].map((one) => ({ component: "core", ...one })),
		...ofPlugins,
	];
}

/**
 * Discards compiled code and frees its memory. Call it between a process's start and its first
 * work: most code of the start never runs again, and the rest is compiled again when needed.
 *
 * Left alone the engine forgets such code after some time, but a service that begins by catching
 * up holds 15 MB more at its largest (measured), and garbage has to be collected the more often.
 */
export async function dropColdCode(): Promise<void> {
	Bun.shrink();
	// It is done once nothing runs any more: in the event loop's next turn.
	await setImmediate();
}
