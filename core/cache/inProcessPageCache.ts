import { createPageTier, type PageCacheOptions } from "#core/cache/createPageTier.ts";
import type { PageCache } from "#core/cache/PageCache.ts";

/** The page cache of one process. */
export function inProcessPageCache(options: PageCacheOptions): PageCache {
	const pages = createPageTier(options);
	return {
		get: (key, rebuild, moment = "") =>
			pages.get({ key, moment }, async () => {
				return { outcome: "miss", body: await rebuild(), ageMs: 0, moment };
			}),
		clear: pages.clear,
	};
}
