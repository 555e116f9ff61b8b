/** Events are kept for at least so long: the longest range of a route is 30 days. */
export const RETENTION_DAYS_MIN = 35;

/** About ten years: more is a typing error. */
export const RETENTION_DAYS_MAX = 4_000;

/**
 * Contracts of a chain whose owners are kept, by default. Each costs a row of the lane's address
 * filter and one walk: 500 are five queries a block, and hours of walking.
 */
export const WATCHED_DEFAULT = 500;
export const WATCHED_MOST = 5_000;
