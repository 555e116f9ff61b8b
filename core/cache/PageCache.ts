/** How an answer came about; the value of the header `x-svc-cache`. */
export type CacheOutcome = "hit" | "stale" | "miss";

export type CachedPage = { outcome: CacheOutcome; body: string };

/**
 * Whole answers, kept as text: fresh for a while, then served stale while one caller rebuilds.
 *
 * Keys carry the version of what they hold, so a new release never reads an old page.
 */
export type PageCache = {
	get(key: string, rebuild: () => Promise<string>): Promise<CachedPage>;
	/** Drops every page. */
	clear(): void;
};
