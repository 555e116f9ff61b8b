/** Events of the provider that are merged in one transaction, under the chain's lock. */
export const MERGE_ROWS_MAX = 200;

/** A provider's event may lie ahead of our clock by so much. */
export const FUTURE_MAX_MS = 3_600_000;

/** Events of the provider no older than this are told one by one, as those of a live block are. */
export const TOLD_LIVE_MS = 600_000;

/** For how long a measured pace of a chain is good. */
export const PACE_AGE_MAX_MS = 600_000;

/**
 * An event of a block that left the chain, and that only the provider still tells, is doubted once
 * its lane is so many blocks further and so much time has passed: no longer than a transaction of a
 * lost block waits to be mined again.
 */
export const DOUBT_AFTER_MS = 600_000;
export const DOUBT_AFTER_BLOCKS = 64;
export const DOUBT_EVERY_MS = 60_000;

/** Taken out under one hold of the chain's lock. */
export const DOUBTED_PER_PART_MAX = 20;
