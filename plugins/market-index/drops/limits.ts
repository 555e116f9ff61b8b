/** How often drops are read. */
export const DROPS_EVERY_MS = 300_000;

/** After a 429 on a drop call nobody makes another one for so long. */
export const DROPS_PAUSE_MS = 300_000;
export const DROP_CONCURRENCY = 2;

/**
 * Provider calls for drops that all processes together may make in a minute: a third of the
 * provider's 120.
 */
export const DROP_CALLS_PER_MINUTE = 40;

/** Of each list, a run. */
export const DROP_PAGES_MAX = 3;

/** Drops that are asked for one by one, a run. */
export const DROP_DETAILS_MAX = 30;
