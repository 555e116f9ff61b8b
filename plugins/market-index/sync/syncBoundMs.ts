import { MINUTE_MS } from "#core/time/units.ts";
import {
	FULL_SHARE,
	LEAN_SHARE,
	PAGES_PER_REFRESH,
	SYNC_EVERY_MS,
} from "#plugins/market-index/sync/limits.ts";

/** Calls of a first sync besides its events: the slug, the detail twice, stats, listings. */
const CALLS_MAX = 9;

/**
 * Returns the longest time until a collection is synced for the first time, whatever the others
 * cost, in ms: all are begun at once, and between two turns of one each other one has at most one.
 *
 * `callsPerMinute`: calls that the background may make.
 */
export function syncBoundMs(given: {
	collections: number;
	/** Pages of events of its first day. */
	pages: number;
	callsPerMinute: number;
}): number {
	const { collections, pages, callsPerMinute } = given;
	const full = callsPerMinute * FULL_SHARE;
	const walking = callsPerMinute * LEAN_SHARE * (PAGES_PER_REFRESH / (PAGES_PER_REFRESH + 1));
	const minutes = (CALLS_MAX * collections) / full + (pages * collections) / walking;
	return minutes * MINUTE_MS + 2 * SYNC_EVERY_MS;
}
