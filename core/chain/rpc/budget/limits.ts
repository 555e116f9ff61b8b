/** The share of an endpoint's limit that is used steadily; the rest is for bursts. */
export const STEADY_SHARE = 0.95;

/** The least share of each waiting rank. */
export const LEAST_SHARE = 0.05;

/**
 * How much of an endpoint's time a process reserves at once; others wait for it at most this long.
 */
export const SLICE_MS = 200;

/** An unused slice is dropped this long after its end. */
export const SLICE_KEPT_MS = 100;

/** The longest wait for a turn; after it another endpoint, or a later try, is better. */
export const TURN_WAIT_MAX_MS = 30_000;

/** The pause after a refusal without a time, and the longest pause whatever a node says. */
export const PAUSE_MIN_MS = 1_000;
export const PAUSE_MAX_MS = 30_000;

/** The lowest learned rate, in calls per second: so that it is learned again within seconds. */
export const LEARNED_PER_SECOND_MIN = 1;

/**
 * After a refusal the rate is what was answered in the last second, within these parts of the rate.
 */
export const LOWERED_LEAST = 0.5;
export const LOWERED_MOST = 0.8;

/** If fewer calls than this were sent, a first refusal shows little about the limit. */
export const FIRST_REFUSED_LEAST = 20;

/**
 * Each second with waiting calls and no refusal raises the rate by this part, or by this many
 * calls.
 */
export const RAISED_BY = 0.1;
export const RAISED_LEAST = 1;

/** The rate stays this far below the last refused one … */
export const BELOW_REFUSED = 0.95;
/** … for this long; twice as long each time that about the same rate is refused, up to the last. */
export const HOLD_MIN_MS = 5_000;
export const HOLD_MAX_MS = 10 * 60_000;
export const SAME_RATE = 0.2;

/** After this long without a refusal the learned rate is dropped. */
export const LEARNED_KEPT_MS = 30 * 60_000;

/** A process's share of the rate while the database cannot tell what others take. */
export const SHARE_ALONE = 0.25;
/** How long a process waits for the database when it reserves calls. */
export const RESERVE_TIMEOUT_MS = 500;
/** How long the database is not asked again after a failure. */
export const AWAY_MS = 5_000;

/** How often a rate-limited request is repeated if a chain has only one endpoint. */
export const TRIES_ALONE_MAX = 4;
/** The longest pause before that. */
export const PAUSE_ALONE_MAX_MS = 5_000;
