/** Events are kept for at least so long: the longest range that a route offers is 30 days. */
export const RETENTION_DAYS_MIN = 35;

/** Ten years, and some: more is a slip of the finger. */
export const RETENTION_DAYS_MAX = 4_000;

/**
 * Contracts a chain whose owners are kept, unless the operator says otherwise. Each costs a row of
 * the lane's address filter and one walk: 500 are five queries a block, and hours of walking.
 */
export const WATCHED_DEFAULT = 500;
export const WATCHED_MOST = 5_000;
