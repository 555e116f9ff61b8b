/** A full sync looks at collections in this rhythm, at most so many a tick. */
export const SYNC_EVERY_MS = 60_000;
export const SYNCS_PER_TICK_MAX = 24;
/** Workers of the queue's sync lane, in each process. */
export const SYNC_CONCURRENCY = 5;
export const SYNC_TIMEOUT_MS = 90_000;

/** How long a full sync stands before a collection is synced again. */
export const SYNC_AGAIN_MS = 600_000;
/** One that the provider has no floor or no owners of yet is asked about sooner, while young. */
export const UNCOUNTED_AGAIN_MS = 120_000;
export const YOUNG_MS = 86_400_000;
/** One whose floor went (sold, cancelled, over) is asked about again, this long after it was. */
export const FLOOR_AGAIN_MS = 60_000;
/** A contract that the provider does not know. */
export const UNNAMED_AGAIN_MS = 1_800_000;
/** Put in line, a collection is nobody else's for so long. */
export const IN_LINE_MS = 300_000;

export const BACKOFF_FIRST_MS = 60_000;
export const BACKOFF_MAX_MS = 1_800_000;
/** After a limit that names no time; and the longest that one may name. */
export const PAUSE_MS = 30_000;
export const PAUSE_MAX_MS = 600_000;

/** Collections that come to be tracked for sync in one tick. */
export const TRACKED_PER_TICK_MAX = 1_000;
/** Pages of the cheapest listings that a full sync reads, to find the floor and to count. */
export const BEST_PAGES_MAX = 5;
export const PROVIDER_PAGE = 200;

export const LEAN_EVERY_MS = 20_000;
export const LEAN_CONCURRENCY = 10;
/** A run ends in time for the next one. */
export const LEAN_BUSY_MS = 18_000;
/** Pages of events of one collection in one run: 5,000 events. */
export const LEAN_PAGES_MAX = 25;
/** What a collection's first lean sync asks for. */
export const LEAN_FIRST_MS = 86_400_000;
/** Events come late to the provider's list: so much is asked for again. */
export const LEAN_OVERLAP_MS = 120_000;

/** So much before a gap of the stream is taken for lost as well. */
export const GAP_MARGIN_MS = 60_000;

/** A collection that somebody looks at is watched for so long. */
export const WATCH_MS = 300_000;
/** A process takes or renews a collection's lease at most this often. */
export const TOUCH_EVERY_MS = 20_000;
/** Collections that a process remembers having touched. */
export const TOUCHED_MAX = 10_000;
/** Enqueues of one collection are this far apart, by what asked for them. */
export const VIEW_EVERY_MS = 20_000;
export const DISCOVERY_EVERY_MS = 300_000;
export const RESYNC_EVERY_MS = 5_000;

/** How often the provider's stream is told whom to follow, and how many that are. */
export const FOLLOW_EVERY_MS = 30_000;
export const FOLLOWED_MAX = 1_000;

/** Collections whose supply is asked for again in one tick after mints of a catch-up. */
export const SUPPLIES_PER_TICK_MAX = 200;
