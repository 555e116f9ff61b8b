// Opens what processes share: bus, page cache, limiter and budget, in Redis or alone.

import type { Budget } from "#core/budget/Budget.ts";
import { databaseBudget } from "#core/budget/databaseBudget.ts";
import { type Bus, inProcessBus, redisBus } from "#core/bus.ts";
import { inProcessPageCache, type PageCache, redisPageCache } from "#core/cache.ts";
import type { Clock } from "#core/clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { ReadyComponent } from "#core/http/createHttpApp.ts";
import { createMemoryLimiter, type Limiter, redisLimiter } from "#core/limiter.ts";
import type { Log } from "#core/log.ts";
import type { Metrics } from "#core/metrics.ts";
import { connectRedis } from "#core/redis.ts";

/** What processes of one deployment share, as far as they can. */
export type Shared = {
	bus: Bus;
	pageCache: PageCache;
	limiter: Limiter;
	budget: Budget;
	/** For `/readyz`: always ready, because this process also goes on without. */
	components(): readonly ReadyComponent[];
	close(): Promise<void>;
};

export type OpenSharedOptions = {
	redisUrl: string | undefined;
	/** Where budgets are shared, with Redis or without. */
	db: Queryable;
	/** The database's own name: two deployments may use one Redis. */
	deployment: () => Promise<string>;
	clock: Clock;
	log: Log;
	metrics: Metrics;
	/** How far a test has set time ahead; left out in service. */
	aheadMs?: () => number;
};

/** 600 a minute for each client; the specification's section 8. */
const LIMITS = { requestsMax: 600, windowSeconds: 60 };
/** The specification's section 8: a page is fresh for 15 s and kept for 90. */
const PAGE_FRESH_MS = 15_000;
const PAGE_KEPT_MS = 90_000;
const PAGE_CACHE_SIZE_MAX = 64 * 1024 * 1024;

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

type InRedisOptions = OpenSharedOptions & {
	redisUrl: string;
	budget: Budget;
	pages: Parameters<typeof inProcessPageCache>[0];
};

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
