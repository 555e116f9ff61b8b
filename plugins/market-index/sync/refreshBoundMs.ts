import { MINUTE_MS } from "#core/time/units.ts";
import {
	LEAN_EVERY_MS,
	LEAN_SHARE,
	PAGES_PER_REFRESH,
	REFRESHES_PER_RUN,
} from "#plugins/market-index/sync/limits.ts";

/**
 * Returns the longest time between two turns of a collection whose first day is whole, whatever
 * first syncs are under way, in ms: a quarter of the turns are refreshes, in rotation.
 *
 * `callsPerMinute`: calls that the background may make.
 */
export function refreshBoundMs(given: { collections: number; callsPerMinute: number }): number {
	const { collections, callsPerMinute } = given;
	const byPages = (callsPerMinute * LEAN_SHARE) / (PAGES_PER_REFRESH + 1);
	const byRuns = (REFRESHES_PER_RUN * MINUTE_MS) / LEAN_EVERY_MS;
	return (collections / Math.min(byPages, byRuns)) * MINUTE_MS + 2 * LEAN_EVERY_MS;
}
