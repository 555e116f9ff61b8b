/** The interval of asking every feed for its newest round, and the time limit of one poll. */
export const POLL_EVERY_MS = 30_000;
export const POLL_TIMEOUT_MS = 20_000;

/** The interval of reading a part of history: one request of some rounds for a chain. */
export const BACKFILL_EVERY_MS = 3_000;
export const BACKFILL_TIMEOUT_MS = 20_000;
export const ROUNDS_PER_REQUEST_MAX = 100;

/** The age of the oldest history that is read, and kept in memory. */
export const HISTORY_MS = 90 * 86_400_000;
export const ROUNDS_PER_FEED_MAX = 20_000;

/** Rows of one read into memory; the rest follows in the next. */
export const ROUNDS_PER_READ_MAX = 10_000;

/** The interval of deleting older rounds, and the rows of one statement. */
export const PRUNE_EVERY_MS = 6 * 3_600_000;
export const PRUNE_TIMEOUT_MS = 60_000;
export const ROUNDS_PER_PRUNE_MAX = 10_000;

/** The interval at which a process reads rounds that another one wrote. */
export const REFRESH_EVERY_MS = 15_000;

/** An answer is not valid beyond this age, in heartbeats. */
export const HEARTBEATS_MAX = 2;

/** Limits how far clocks of chains may be ahead of ours. A later answer is a mistake or a lie. */
export const AHEAD_MS_MAX = 60_000;

/** An answer with more decimals is no price. */
export const FEED_DECIMALS_MAX = 36;

/** Feeds' answers are int192. */
export const ANSWER_BITS_MAX = 191n;

export const FEEDS_MAX = 200;
export const HEARTBEAT_SECONDS_DEFAULT = 3_600;
export const HEARTBEAT_SECONDS_MAX = 7 * 86_400;
