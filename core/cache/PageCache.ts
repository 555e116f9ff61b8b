/** How an answer came about; the value of the header `x-svc-cache`. */
export type CacheOutcome = "hit" | "stale" | "miss";

export type CachedPage = { outcome: CacheOutcome; body: string };

/**
 * Whole answers, kept as text: fresh for a while, then served stale while one caller rebuilds.
 *
 * Keys carry the version of what they hold, so a new release never reads an old page.
 */
export type PageCache = {
	/**
	 * Returns the page of a key. `moment` names the state of the world that the caller wants: a
	 * page built at another moment is out of date, and is returned (as stale) only where
	 * rebuilding it fails.
	 */
	get(key: string, rebuild: () => Promise<string>, moment?: string): Promise<CachedPage>;
	/** Drops every page. */
	clear(): void;
};
