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
	const building = new Map<string, Promise<Page>>();

	return {
		async get(key, rebuild) {
			const page = pages.get(key);
			const ageMs = page ? clock.nowMs() - page.builtAtMs : Number.POSITIVE_INFINITY;
			if (page && ageMs < freshMs) return { outcome: "hit", body: page.body };
			const build = buildOnce(key, rebuild);
			if (page && ageMs < keptMs) {
				// The answer is already known; a failed rebuild leaves it until it is too old.
				build.catch((error) => options.log.warn("a page was not rebuilt", { key, error }));
				return { outcome: "stale", body: page.body };
			}
			return { outcome: "miss", body: (await build).body };
		},
		clear: () => pages.clear(),
	};

	/** A single flight for each key: a crowd on a cold page costs one rebuild. */
	function buildOnce(key: string, rebuild: () => Promise<string>): Promise<Page> {
		const running = building.get(key);
		if (running) return running;
		const build = rebuild()
			.then((body) => {
				const page = { body, builtAtMs: clock.nowMs() };
				pages.set(key, page);
				return page;
			})
			.finally(() => building.delete(key));
		building.set(key, build);
		return build;
	}
}
