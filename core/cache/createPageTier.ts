import { LRUCache } from "lru-cache";
import { logRebuildFailure } from "#core/cache/logRebuildFailure.ts";
import type { CachedPage, CacheOutcome } from "#core/cache/PageCache.ts";
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
export type LoadedPage = { outcome: CacheOutcome; body: string; ageMs: number; moment: string };

/** The pages that this process holds, whoever built them. */
export type PageTier = {
	/**
	 * Returns the page kept here while it is fresh; else `load` gets it, once for all who ask. A
	 * page of another moment is returned where `load` fails and the page is not too old.
	 */
	get(of: PageName, load: () => Promise<LoadedPage>): Promise<CachedPage>;
	put(key: string, page: Omit<LoadedPage, "outcome">): void;
	clear(): void;
	/** Changes with each clearing: what was begun before it must not be kept after it. */
	generation(): number;
};

/** Names one version of a page: its key, and the moment of the data in it (see `PageCache`). */
export type PageName = { key: string; moment: string };

type Page = { body: string; builtAtMs: number; moment: string };
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
		async get(of, load) {
			const page = pages.get(of.key);
			const isOfNow = page?.moment === of.moment;
			const ageMs = page ? clock.nowMs() - page.builtAtMs : Number.POSITIVE_INFINITY;
			if (page && isOfNow && ageMs < freshMs) return { outcome: "hit", body: page.body };
			const loaded = loadOnce(of, load);
			const stale: CachedPage | null =
				page && ageMs < keptMs ? { outcome: "stale", body: page.body } : null;
			// The answer is already known; a failed rebuild leaves it until it is too old.
			if (stale && isOfNow) return stale;
			try {
				const { outcome, page: got } = await loaded;
				return { outcome, body: got.body };
			} catch (error) {
				if (stale) return stale;
				throw error;
			}
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

	/** One load for each page of a moment: many requests for a missing page cost one rebuild. */
	function loadOnce(of: PageName, load: () => Promise<LoadedPage>): Promise<Loading> {
		const { key } = of;
		const name = `${of.moment}\n${key}`;
		const running = loading.get(name);
		if (running) return running;
		const loads = loading;
		const loaded = store(key, load).finally(() => loads.delete(name));
		loads.set(name, loaded);
		// Said once for each build, however many wait for it; a waiter on a cold page throws it too.
		loaded.catch((error) => logRebuildFailure(options.log, key, error));
		return loaded;
	}

	async function store(key: string, load: () => Promise<LoadedPage>): Promise<Loading> {
		const begun = generation;
		const { outcome, ...page } = await load();
		if (begun === generation) return { outcome, page: keep(key, page) };
		return { outcome, page: pageOf(page) };
	}

	function pageOf({ body, ageMs, moment }: Omit<LoadedPage, "outcome">): Page {
		return { body, moment, builtAtMs: clock.nowMs() - ageMs };
	}

	function keep(key: string, loaded: Omit<LoadedPage, "outcome">): Page {
		const page = pageOf(loaded);
		pages.set(key, page);
		return page;
	}
}
