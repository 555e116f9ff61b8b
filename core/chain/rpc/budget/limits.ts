/** Of what an endpoint allows so much is used steadily; the rest is room for calls sent at once. */
export const STEADY_SHARE = 0.95;

/** What whoever waits gets at least of what is served while it waits, as a part. */
export const LEAST_SHARE = 0.05;

/** A process reserves so much of an endpoint's time at once; others wait for it at most so long. */
export const SLICE_MS = 200;

/** A slice that was reserved and not used is given up so long after its end. */
export const SLICE_KEPT_MS = 100;

/** Who waits longer for its turn is told so: another endpoint, or another time, is better. */
export const TURN_WAIT_MAX_MS = 30_000;

/** After a refusal without a time, and for how long at most whatever a node says. */
export const PAUSE_MIN_MS = 1_000;
export const PAUSE_MAX_MS = 30_000;

/** What was learned never goes below one call a second: so it is learned anew within seconds. */
export const LEARNED_PER_SECOND_MIN = 1;

/** A refusal leaves what was answered in the last second, within these parts of the rate. */
export const LOWERED_LEAST = 0.5;
export const LOWERED_MOST = 0.8;

/** What is sent when a node refuses for the first time tells little where it is less than this. */
export const FIRST_REFUSED_LEAST = 20;

/** Each second in which calls waited and none was refused adds this part, or this many calls. */
export const RAISED_BY = 0.1;
export const RAISED_LEAST = 1;

/** The rate stays below the one that was refused last by so much … */
export const BELOW_REFUSED = 0.95;
/** … for so long; twice as long each time that about the same rate is refused, up to the last. */
export const HOLD_MIN_MS = 5_000;
export const HOLD_MAX_MS = 10 * 60_000;
export const SAME_RATE = 0.2;

/** After so long without a refusal what was learned is forgotten. */
export const LEARNED_KEPT_MS = 30 * 60_000;

/** What a process takes of the rate while the database cannot tell what others take. */
export const SHARE_ALONE = 0.25;
/** How long a process waits for the database when it reserves calls. */
export const RESERVE_TIMEOUT_MS = 500;
/** How long it does not ask the database again after one that failed. */
export const AWAY_MS = 5_000;

/** How often a request that a limit refused is sent again, where a chain has one endpoint only. */
export const TRIES_ALONE_MAX = 4;
/** The longest pause before it is sent again. */
export const PAUSE_ALONE_MAX_MS = 5_000;
