// Lists the limits and times of syncs, and computes the longest waits that follow from them.

import { MINUTE_MS } from "#core/time.ts";

/** The interval of queueing full syncs, and the most in one tick. */
export const SYNC_EVERY_MS = 60_000;
export const SYNCS_PER_TICK_MAX = 24;
/** Workers of the queue's sync lane, in each process. */
export const SYNC_CONCURRENCY = 5;
export const SYNC_TIMEOUT_MS = 90_000;

/** Lets a collection that was never synced have its turn this much before its due time … */
export const QUEUED_AHEAD_MS = 1_800_000;
/** … and one that is looked at, and one whose sync was begun and did not end. */
export const WATCHED_AHEAD_MS = 600_000;
export const BEGUN_AHEAD_MS = 60_000;
/** The delay until a collection is synced again after a full sync. */
export const SYNC_AGAIN_MS = 600_000;
/** A young collection without a counted floor or owners is synced again sooner. */
export const UNCOUNTED_AGAIN_MS = 120_000;
export const YOUNG_MS = 86_400_000;
/** The wait before the provider is asked again for a contract that it does not know. */
export const UNNAMED_AGAIN_MS = 1_800_000;
/** How long a queued collection is claimed. */
export const IN_LINE_MS = 300_000;

export const BACKOFF_FIRST_MS = 60_000;
export const BACKOFF_MAX_MS = 1_800_000;

/** The longest limit that a sync under way waits for, and how many times it does. */
export const LIMIT_WAITED_OUT_MS = 3_000;
export const LIMITS_WAITED_OUT_MAX = 20;
/** The number and the distance of checks whether a provider that failed answers other calls. */
export const ASKED_AGAIN_LOOKS_MAX = 8;
export const ASKED_AGAIN_AFTER_MS = 250;
/** The longest limit that a tick waits for. */
export const PAUSE_WAITED_OUT_MS = 50_000;

/** Collections that are added to the synced ones in one tick. */
export const TRACKED_PER_TICK_MAX = 1_000;
/** Pages of the cheapest listings that a full sync reads, to find the floor and to count. */
export const BEST_PAGES_MAX = 5;
/**
 * Limits the age of the first page of listings for a sync to continue with the rest: as old as a
 * synced collection's figures become.
 */
export const LISTINGS_READING_MAX_MS = 600_000;
/** The longest rate limit that is waited for between two pages of listings. */
export const LISTINGS_WAIT_MAX_MS = 45_000;

export const LEAN_EVERY_MS = 20_000;
export const LEAN_CONCURRENCY = 10;
/** The time after which a run begins no turn: it must end before the next run. */
export const LEAN_BUSY_MS = 18_000;
/**
 * A run ends after this time at the latest: its last turn may have to wait for a call and for a
 * slow answer.
 */
export const LEAN_TIMEOUT_MS = 60_000;
/** The time that a collection's first walk reads back; no later walk goes back further. */
export const LEAN_FIRST_MS = 86_400_000;
/** The time that is read again, because events appear late in the provider's list. */
export const LEAN_OVERLAP_MS = 120_000;
/**
 * The number of pages of first days after which, while those are read, a collection with a whole
 * first day has a turn: a quarter of all turns.
 */
export const PAGES_PER_REFRESH = 3;
/** The parts of the background's calls that are reserved for the lean sync, and for full syncs. */
const LEAN_SHARE = 0.4;
const FULL_SHARE = 0.5;
/** Limits the refreshes of a run while first days wait: a quarter of a run's calls. */
export const REFRESHES_PER_RUN = 4;
/** The wait for a first sync after which refreshes give way to it. */
export const BACKLOG_AFTER_MS = 60_000;

/** How long a claimed turn (one page) lasts. */
export const TURN_MS = 60_000;
/**
 * The rest of a walk after a page that could not be read: about a run, doubled for each in a row,
 * up to the second number.
 */
export const TURN_REST_MS = 18_000;
export const TURN_REST_MAX_MS = 1_800_000;
/** The number of turns with an unreadable page after which a walk ends where it is. */
export const PAGE_TRIES_MAX = 6;
/** Pages of a first walk that go before everything else: 10,000 events. */
export const FIRST_PAGES_MAX = 50;
/** Pages of one walk: 200,000 events. What lies beyond is reported as not covered. */
export const WALK_PAGES_MAX = 1_000;
/** The number of pages in a row without progress after which a walk ends where it is. */
export const WALK_IDLE_MAX = 25;
/** The number of pages without progress by a cursor after which the walk continues by time. */
export const WALK_LOST_AFTER = 3;
/** Limits how far events of one page may be out of the order of their times. */
export const WALK_SLACK_MS = 60_000;
/** The number of times in a row that a list without a known event is not believed. */
export const BACK_IN_TIME_MAX = 3;

/** The interval of checking whether lanes are level with the head. */
export const LEVEL_LOOK_MS = 5_000;
/** How long lanes count as level after they were found level with the head. */
export const LEVEL_AGE_MAX_MS = 30_000;
/** The time without being found level after which lanes may have left something out. */
export const LEVEL_BREAK_MS = 120_000;
/** The interval of asking the provider, while lanes are level, for what only it knows. */
export const LEVEL_AGAIN_MS = 600_000;
/**
 * How long a collection is read often after a sale that level lanes did not report: no lane decodes
 * its venue.
 */
export const FOREIGN_MS = 86_400_000;
/** The time that a lane has to report a sale after the provider did. */
export const FOREIGN_AFTER_MS = 300_000;

/** The lifetime of the parts of an unfinished sync: longer than the longest wait. */
export const PART_AGE_MAX_MS = 2_400_000;

/** The time before a gap of the stream that counts as lost as well. */
export const GAP_MARGIN_MS = 60_000;

/** How long a collection is watched after a client read it. */
export const WATCH_MS = 300_000;
/** A process takes or renews a collection's lease at most this often. */
export const TOUCH_EVERY_MS = 20_000;
/** Collections that a process remembers having touched. */
export const TOUCHED_MAX = 10_000;
/** The least time between two queued syncs of one collection, by what asked for them. */
export const VIEW_EVERY_MS = 20_000;
export const DISCOVERY_EVERY_MS = 300_000;
export const RESYNC_EVERY_MS = 5_000;

/** The interval of setting the stream's followed collections, and their number. */
export const FOLLOW_EVERY_MS = 30_000;
export const FOLLOWED_MAX = 1_000;

/** Collections whose supply is read again in one tick after mints of a catch-up. */
export const SUPPLIES_PER_TICK_MAX = 200;

/**
 * Limits the contracts that are asked for their total supply again in a minute, while a chain's
 * lanes are behind its head.
 */
export const SUPPLIES_BEHIND_MAX = 10;

/** Calls of a first sync besides its events: the slug, the detail twice, stats, listings. */
const CALLS_MAX = 9;

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
