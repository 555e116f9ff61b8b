import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS } from "#plugins/market-index/sync/limits.ts";

/**
 * Returns how long after so many failures in a row a sync is retried: from 1 to 30 minutes, in ms.
 */
export function backoffMs(failures: number): number {
	return Math.min(BACKOFF_FIRST_MS * 2 ** Math.min(Math.max(failures - 1, 0), 10), BACKOFF_MAX_MS);
}
