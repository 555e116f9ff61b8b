/** Events of the provider that are merged in one transaction, under the chain's lock. */
export const MERGE_ROWS_MAX = 200;

/** How far a provider's event may be ahead of our clock. */
export const FUTURE_MAX_MS = 3_600_000;

/** A provider's events no older than this are published one by one, like those of a live block. */
export const TOLD_LIVE_MS = 600_000;

/** How long a chain's measured pace is valid. */
export const PACE_AGE_MAX_MS = 600_000;

/**
 * An event whose block left the chain, and that only the provider still tells, is doubted once its
 * lane is so many blocks further and so much time has passed: no longer than a transaction of a
 * lost block waits to be mined again.
 */
export const DOUBT_AFTER_MS = 600_000;
export const DOUBT_AFTER_BLOCKS = 64;
export const DOUBT_EVERY_MS = 60_000;

/** Events removed under one hold of the chain's lock. */
export const DOUBTED_PER_PART_MAX = 20;
