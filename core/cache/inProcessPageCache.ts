import { LRUCache } from "lru-cache";
import type { PageCache } from "#core/cache/PageCache.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Log } from "#core/log/Log.ts";

type Page = { body: string; builtAtMs: number };

export type PageCacheOptions = {
	clock: Clock;
	log: Log;
	freshMs: number;
	keptMs: number;
	/** Characters of all bodies together. */
	sizeMax: number;
};

/** The page cache of one process. */
export function inProcessPageCache(options: PageCacheOptions): PageCache {
	const { clock, freshMs, keptMs } = options;
	const pages = new LRUCache<string, Page>({
		maxSize: options.sizeMax,
		sizeCalculation: (page) => page.body.length + 1,
	});
	let building = new Map<string, Promise<Page>>();

	return {
		async get(key, rebuild) {
			const page = pages.get(key);
			const ageMs = page ? clock.nowMs() - page.builtAtMs : Number.POSITIVE_INFINITY;
			if (page && ageMs < freshMs) return { outcome: "hit", body: page.body };
			const build = buildOnce(key, rebuild);
			// The answer is already known; a failed rebuild leaves it until it is too old.
			if (page && ageMs < keptMs) return { outcome: "stale", body: page.body };
			return { outcome: "miss", body: (await build).body };
		},
		clear() {
			pages.clear();
			// What is being built may have been read before the clearing: it is not kept.
			building = new Map();
		},
	};

	/** A single flight for each key: a crowd on a cold page costs one rebuild. */
	function buildOnce(key: string, rebuild: () => Promise<string>): Promise<Page> {
		const running = building.get(key);
		if (running) return running;
		const builds = building;
		const build = store(key, rebuild, builds).finally(() => builds.delete(key));
		builds.set(key, build);
		// Said once for each build, however many wait for it; a waiter on a cold page throws it too.
		build.catch((error) => options.log.warn("a page was not rebuilt", { key, error }));
		return build;
	}

	async function store(key: string, rebuild: () => Promise<string>, builds: typeof building) {
		const page = { body: await rebuild(), builtAtMs: clock.nowMs() };
		if (builds === building) pages.set(key, page);
		return page;
	}
}
