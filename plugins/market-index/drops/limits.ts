/** How often drops are read. */
export const DROPS_EVERY_MS = 300_000;

/** After a 429 on a drop call no other one is made for so long. */
export const DROPS_PAUSE_MS = 300_000;
export const DROP_CONCURRENCY = 2;

/** The most drop calls of all processes together in a minute: a third of the provider's 120. */
export const DROP_CALLS_PER_MINUTE = 40;

/** Pages of each list in a run. */
export const DROP_PAGES_MAX = 3;

/** Drops that are read one by one in a run. */
export const DROP_DETAILS_MAX = 30;
