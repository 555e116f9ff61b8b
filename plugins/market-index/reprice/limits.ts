/**
 * How often events with a newly known rate are priced, for how long in one go, how many under one
 * hold of the chain's lock, and after which pause a failure is retried.
 */
export const REPRICE_EVERY_MS = 2_000;
export const REPRICE_BUSY_MS = 500;
export const REPRICE_ROWS_MAX = 40;
export const REPRICE_RETRY_MS = 30_000;

/**
 * Events that a part may price and still send each candle; with more, clients read topics again.
 */
export const REPRICE_TOLD_MAX = 20;
