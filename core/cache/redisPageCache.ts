import type { Bus } from "#core/bus/Bus.ts";
import {
	createPageTier,
	type LoadedPage,
	type PageCacheOptions,
	type PageName,
} from "#core/cache/createPageTier.ts";
import { logRebuildFailure } from "#core/cache/logRebuildFailure.ts";
import type { PageCache } from "#core/cache/PageCache.ts";
import { type SharedPage, type SharedPages, sharedPages } from "#core/cache/sharedPages.ts";
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
		get: (key, rebuild, moment = "") => {
			const of = { key, moment };
			return here.get(of, () => load(of, rebuild));
		},
		clear() {
			here.clear();
			shared.dropAll();
			bus.publish(CLEARED_CHANNEL, "");
		},
	};

	async function load(of: PageName, rebuild: () => Promise<string>): Promise<LoadedPage> {
		const looked = await shared.look(of.key);
		if (!looked) return built(of, await rebuild());
		const { page } = looked;
		const isOfNow = page?.moment === of.moment;
		if (page && isOfNow && page.ageMs < freshMs) return { outcome: "hit", ...page };
		const unlock = await shared.lock(of);
		const store = { generation: looked.generation, unlock };
		if (page && isOfNow) {
			if (unlock) void refresh(of, rebuild, store);
			return { outcome: "stale", ...page };
		}
		try {
			if (unlock) return built(of, await buildShared(of, rebuild, store));
			const awaited = await waitFor(shared, of);
			if (awaited) return { outcome: "hit", ...awaited };
			return built(of, await buildShared(of, rebuild, store));
		} catch (error) {
			// Of another moment, and better than none.
			if (!page) throw error;
			logRebuildFailure(log, of.key, error);
			return { outcome: "stale", ...page };
		}
	}

	async function refresh(of: PageName, rebuild: () => Promise<string>, store: Store) {
		const begun = here.generation();
		const { key, moment } = of;
		try {
			const body = await buildShared(of, rebuild, store);
			if (begun === here.generation()) here.put(key, { body, ageMs: 0, moment });
		} catch (error) {
			logRebuildFailure(log, key, error);
		}
	}

	async function buildShared(of: PageName, rebuild: () => Promise<string>, store: Store) {
		try {
			const body = await rebuild();
			await shared.store(of, body, store.generation);
			return body;
		} finally {
			// Not waited for: whoever asked has its page.
			void store.unlock?.();
		}
	}
}

type Store = { generation: string; unlock: (() => Promise<void>) | null };

const built = ({ moment }: PageName, body: string): LoadedPage => {
	return { outcome: "miss", body, ageMs: 0, moment };
};

async function waitFor(shared: SharedPages, of: PageName): Promise<SharedPage | null> {
	for (let looks = 0; looks < LOOKS_MAX; looks++) {
		await sleep(LOOK_EVERY_MS);
		const looked = await shared.look(of.key);
		if (!looked) return null;
		if (looked.page?.moment === of.moment) return looked.page;
	}
	return null;
}
