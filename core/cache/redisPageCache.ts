import type { Bus } from "#core/bus/Bus.ts";
import {
	createPageTier,
	type LoadedPage,
	type PageCacheOptions,
} from "#core/cache/createPageTier.ts";
import type { PageCache } from "#core/cache/PageCache.ts";
import { type SharedPage, type SharedPages, sharedPages } from "#core/cache/sharedPages.ts";
import { tellRebuild } from "#core/cache/tellRebuild.ts";
import type { Redis } from "#core/redis/Redis.ts";
import { sleep } from "#core/time/sleep.ts";

/** The bus channel on which a clearing is told. */
const CLEARED_CHANNEL = "pages-cleared";

/** How long a cold page waits for the process that builds it, and how often it looks. */
const LOOK_EVERY_MS = 25;
const LOOKS_MAX = 40;

/**
 * The page cache of all processes: a tier in each, and one behind them in Redis.
 *
 * A page that is fresh here is answered without Redis. Else Redis is asked, and of the processes
 * that find nothing fresh there one builds; the others answer the stale page, or wait a second for
 * the new one. A page's age goes with it, so two tiers keep nothing longer than one would. While
 * Redis is away this is the cache of one process.
 */
export function redisPageCache(options: PageCacheOptions & { redis: Redis; bus: Bus }): PageCache {
	const { bus, log, freshMs } = options;
	const here = createPageTier(options);
	const shared = sharedPages(options);
	bus.subscribe(CLEARED_CHANNEL, () => here.clear());
	return {
		get: (key, rebuild) => here.get(key, () => load(key, rebuild)),
		clear() {
			here.clear();
			shared.dropAll();
			bus.publish(CLEARED_CHANNEL, "");
		},
	};

	async function load(key: string, rebuild: () => Promise<string>): Promise<LoadedPage> {
		const looked = await shared.look(key);
		if (!looked) return built(await rebuild());
		const { page } = looked;
		if (page && page.ageMs < freshMs) return { outcome: "hit", ...page };
		const unlock = await shared.lock(key);
		const store = { generation: looked.generation, unlock };
		if (page) {
			if (unlock) void refresh(key, rebuild, store);
			return { outcome: "stale", ...page };
		}
		if (unlock) return built(await buildShared(key, rebuild, store));
		const awaited = await waitFor(shared, key);
		if (awaited) return { outcome: "hit", ...awaited };
		return built(await buildShared(key, rebuild, store));
	}

	async function refresh(key: string, rebuild: () => Promise<string>, store: Store) {
		const begun = here.generation();
		try {
			const body = await buildShared(key, rebuild, store);
			if (begun === here.generation()) here.put(key, { body, ageMs: 0 });
		} catch (error) {
			tellRebuild(log, key, error);
		}
	}

	async function buildShared(key: string, rebuild: () => Promise<string>, store: Store) {
		try {
			const body = await rebuild();
			await shared.store(key, body, store.generation);
			return body;
		} finally {
			// Not waited for: whoever asked has its page.
			void store.unlock?.();
		}
	}
}

type Store = { generation: string; unlock: (() => Promise<void>) | null };

const built = (body: string): LoadedPage => ({ outcome: "miss", body, ageMs: 0 });

async function waitFor(shared: SharedPages, key: string): Promise<SharedPage | null> {
	for (let looks = 0; looks < LOOKS_MAX; looks++) {
		await sleep(LOOK_EVERY_MS);
		const looked = await shared.look(key);
		if (!looked || looked.page) return looked?.page ?? null;
	}
	return null;
}
