/** A take is remembered unit by unit until it leaves the window. */
export const UNITS_PER_WINDOW_MAX = 1_000;

/** Names are constants of ours, one for each upstream or key of one. */
export const NAMES_MAX = 1_000;

/** How many kinds one take may count into. */
export const SHARES_MAX = 4;

/** The longest pause; one that ends later than this was written by a clock that was set back. */
export const PAUSE_MAX_MS = 3_600_000;

/** What one process may take of a window by itself while nobody can be asked: a quarter. */
export const SHARE_ALONE_DIVISOR = 4;

/** When to ask again for what this process's share can never hold: the database may be back. */
export const RETRY_ALONE_MS = 1_000;

/** How long a take waits for the database. */
export const TAKE_TIMEOUT_MS = 1_000;

/** After a take that the database did not answer, it is not asked for so long. */
export const AWAY_MS = 5_000;
