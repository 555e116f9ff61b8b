import { LRUCache } from "lru-cache";
import type { CachedPage, CacheOutcome } from "#core/cache/PageCache.ts";
import { tellRebuild } from "#core/cache/tellRebuild.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Log } from "#core/log/Log.ts";

export type PageCacheOptions = {
	clock: Clock;
	log: Log;
	freshMs: number;
	keptMs: number;
	/** Characters of all bodies together. */
	sizeMax: number;
};

/** A page as it was got: built now, or somewhere else some time ago. */
export type LoadedPage = { outcome: CacheOutcome; body: string; ageMs: number };

/** The pages that this process holds, whoever built them. */
export type PageTier = {
	/** A page that is fresh here is answered from here; else `load` gets it, once for a crowd. */
	get(key: string, load: () => Promise<LoadedPage>): Promise<CachedPage>;
	put(key: string, page: { body: string; ageMs: number }): void;
	clear(): void;
	/** Changes with each clearing: what was begun before it must not be kept after it. */
	generation(): number;
};

type Page = { body: string; builtAtMs: number };
type Loading = { page: Page; outcome: CacheOutcome };

export function createPageTier(options: PageCacheOptions): PageTier {
	const { clock, freshMs, keptMs } = options;
	const pages = new LRUCache<string, Page>({
		maxSize: options.sizeMax,
		sizeCalculation: (page) => page.body.length + 1,
	});
	let loading = new Map<string, Promise<Loading>>();
	let generation = 0;

	return {
		async get(key, load) {
			const page = pages.get(key);
			const ageMs = page ? clock.nowMs() - page.builtAtMs : Number.POSITIVE_INFINITY;
			if (page && ageMs < freshMs) return { outcome: "hit", body: page.body };
			const loaded = loadOnce(key, load);
			// The answer is already known; a failed rebuild leaves it until it is too old.
			if (page && ageMs < keptMs) return { outcome: "stale", body: page.body };
			const { outcome, page: got } = await loaded;
			return { outcome, body: got.body };
		},
		put: (key, page) => void keep(key, page),
		clear() {
			pages.clear();
			generation += 1;
			// What is being loaded may have been read before the clearing: it is not kept.
			loading = new Map();
		},
		generation: () => generation,
	};

	/** A single flight for each key: a crowd on a cold page costs one rebuild. */
	function loadOnce(key: string, load: () => Promise<LoadedPage>): Promise<Loading> {
		const running = loading.get(key);
		if (running) return running;
		const loads = loading;
		const loaded = store(key, load).finally(() => loads.delete(key));
		loads.set(key, loaded);
		// Said once for each build, however many wait for it; a waiter on a cold page throws it too.
		loaded.catch((error) => tellRebuild(options.log, key, error));
		return loaded;
	}

	async function store(key: string, load: () => Promise<LoadedPage>): Promise<Loading> {
		const begun = generation;
		const { outcome, ...page } = await load();
		if (begun === generation) return { outcome, page: keep(key, page) };
		return { outcome, page: { body: page.body, builtAtMs: clock.nowMs() - page.ageMs } };
	}

	function keep(key: string, { body, ageMs }: { body: string; ageMs: number }): Page {
		const page = { body, builtAtMs: clock.nowMs() - ageMs };
		pages.set(key, page);
		return page;
	}
}
