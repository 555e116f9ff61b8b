// Opens the database, with how many connections, and what processes share, in Redis or alone.

import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { Client } from "pg";
import { alignBookClock } from "#core/audit/book.ts";
import type { Budget } from "#core/budget/Budget.ts";
import { databaseBudget } from "#core/budget/databaseBudget.ts";
import { type Bus, inProcessBus, redisBus } from "#core/bus.ts";
import { inProcessPageCache, type PageCache, redisPageCache } from "#core/cache.ts";
import type { Clock } from "#core/clock.ts";
import type { CoreConfig } from "#core/config/coreConfig.ts";
import type { Database, Queryable } from "#core/db/Database.ts";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { migrate } from "#core/db/migrate.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import type { ReadyComponent } from "#core/http/createHttpApp.ts";
import { createMemoryLimiter, type Limiter, redisLimiter } from "#core/limiter.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import { type AnyPlugin, AuditBookPoint, contributionsOf } from "#core/plugin/Plugin.ts";
import { connectRedis } from "#core/redis.ts";
import { migrateQueue } from "#core/runQueueWorkers.ts";

export type OpenedServer = {
	connectionString: string;
	/** The database for the operator's eyes, without its password. */
	where: string;
	close(): Promise<void>;
};

export type Storage = {
	db: Database;
	/** The process's name among its peers, new at each start, and that of its connections. */
	holder: string;
	session: string;
	/** The database for the operator's eyes, without its password. */
	where: string;
	close(): Promise<void>;
};

export type StorageOptions = {
	/** Throws where this is the wrong database; asked before anything is written into it. */
	inspect?(connectionString: string, where: string): Promise<void>;
};

/** Holds what processes of one deployment share, as far as they can. */
export type Shared = {
	bus: Bus;
	pageCache: PageCache;
	limiter: Limiter;
	budget: Budget;
	/** Lists Redis for `/readyz`: always ready, because this process also works without Redis. */
	components(): readonly ReadyComponent[];
	close(): Promise<void>;
};

export type OpenSharedOptions = {
	redisUrl: string | undefined;
	/** Keeps the shared budgets, with Redis or without. */
	db: Queryable;
	/** Returns the database's own name: two deployments may use one Redis. */
	deployment: () => Promise<string>;
	clock: Clock;
	log: Log;
	metrics: Metrics;
	/** Returns how far a test has set time ahead; left out in service. */
	aheadMs?: () => number;
};

/**
 * The connections for requests and jobs; each chain's lanes hold one while they wait for its lock.
 */
const CONNECTIONS_FOR_ALL = 16;
const CONNECTIONS_PER_CHAIN = 4;
/** The embedded server takes 100; the queue and a second process need some too. */
const CONNECTIONS_MAX = 60;
const CORE_MIGRATIONS = {
	schema: "core",
	folder: join(import.meta.dir, "../../core/db/migrations"),
};

/** Allows each client 600 a minute, by the specification's section 8. */
const LIMITS = { requestsMax: 600, windowSeconds: 60 };
/** Keeps a page fresh for 15 s, and for 90 in all, by the specification's section 8. */
const PAGE_FRESH_MS = 15_000;
const PAGE_KEPT_MS = 90_000;
const PAGE_CACHE_SIZE_MAX = 64 * 1024 * 1024;

type InRedisOptions = OpenSharedOptions & {
	redisUrl: string;
	budget: Budget;
	pages: Parameters<typeof inProcessPageCache>[0];
};

/** Opens the configured server, or starts the embedded one, and brings its schemas up to date. */
export async function openStorage(
	config: Pick<CoreConfig, "DATABASE_URL" | "DATA_DIR" | "CHAINS">,
	plugins: readonly AnyPlugin[],
	log: Log,
	{ inspect = async () => {} }: StorageOptions = {},
): Promise<Storage> {
	const server = await openServer(config, log);
	try {
		await inspect(server.connectionString, server.where);
		const tables = plugins.flatMap((plugin) => (plugin.tables ? [plugin.tables] : []));
		await migrate(server.connectionString, [CORE_MIGRATIONS, ...tables], log);
		await migrateQueue(server.connectionString);
		const holder = randomUUID();
		const session = `tapeline ${holder}`;
		const db = openDatabase({
			connectionString: server.connectionString,
			connectionsMax: Math.min(
				CONNECTIONS_FOR_ALL + CONNECTIONS_PER_CHAIN * config.CHAINS.length,
				CONNECTIONS_MAX,
			),
			applicationName: session,
			log,
		});
		await alignBookClock(db, { books: contributionsOf(plugins)(AuditBookPoint), log });
		return {
			db,
			holder,
			session,
			where: server.where,
			async close() {
				await db.close();
				await server.close();
			},
		};
	} catch (error) {
		await server.close();
		throw error;
	}
}

/** Returns the configured server, or DATA_DIR's embedded one, started where it does not run. */
export async function openServer(
	config: Pick<CoreConfig, "DATABASE_URL" | "DATA_DIR">,
	log: Log,
): Promise<OpenedServer> {
	if (config.DATABASE_URL !== undefined) {
		return {
			connectionString: config.DATABASE_URL,
			where: nameDatabase(config.DATABASE_URL),
			close: async () => {},
		};
	}
	const server = await startEmbeddedServer({ dataDir: config.DATA_DIR, log });
	const { connectionString, cluster, how, tookMs } = server;
	const isInside = cluster.startsWith(`${realpathSync(config.DATA_DIR)}${sep}`);
	const folder = isInside ? config.DATA_DIR : dirname(cluster);
	const where = `embedded PostgreSQL in ${folder}, ${how} in ${Math.round(tookMs)} ms`;
	return { connectionString, where, close: () => server.close() };
}

/**
 * Says which database a connection string means: its name, host and port, never user or password.
 *
 * Read by the driver itself, so that it names what a connection would open, parameters of the query
 * and PG* variables included. A string that the driver cannot read is not quoted: where its parts
 * are unclear, any of them may be the password.
 */
export function nameDatabase(connectionString: string): string {
	try {
		const { database, host, port } = new Client({ connectionString });
		return `PostgreSQL at DATABASE_URL: database "${database}" on ${host}, port ${port}`;
	} catch {
		return "PostgreSQL at DATABASE_URL";
	}
}

/** Opens it in this process where no Redis is configured, else in Redis; waits for neither. */
export async function openShared(options: OpenSharedOptions): Promise<Shared> {
	const { redisUrl, db, clock, log } = options;
	const budget = databaseBudget({ db, clock, log, aheadMs: options.aheadMs ?? (() => 0) });
	const pages = {
		clock,
		log,
		freshMs: PAGE_FRESH_MS,
		keptMs: PAGE_KEPT_MS,
		sizeMax: PAGE_CACHE_SIZE_MAX,
	};
	if (redisUrl !== undefined) return inRedis({ ...options, redisUrl, pages, budget });
	const bus = inProcessBus(log);
	return {
		bus,
		pageCache: inProcessPageCache(pages),
		limiter: createMemoryLimiter(LIMITS),
		budget,
		components: () => [],
		close: () => bus.close(),
	};
}

async function inRedis(options: InRedisOptions): Promise<Shared> {
	const { redisUrl, log, metrics, pages, budget } = options;
	const isUp = metrics.gauge({
		name: "redis_up",
		help: "Whether this process is connected to Redis; without it it goes on by itself.",
	});
	const redis = connectRedis({
		url: redisUrl,
		deployment: await options.deployment(),
		log,
		onChange: (up) => isUp.set({}, up ? 1 : 0),
	});
	const bus = redisBus({ redis, log });
	const away = "away: caches, limits and hints are this process's own";
	return {
		bus,
		pageCache: redisPageCache({ ...pages, redis, bus }),
		limiter: redisLimiter({ ...LIMITS, redis, insurance: createMemoryLimiter(LIMITS) }),
		budget,
		components: () => [{ name: "redis", ready: true, ...(redis.up() ? {} : { detail: away }) }],
		async close() {
			await bus.close();
			await redis.close();
		},
	};
}
