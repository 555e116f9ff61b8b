/** A take is remembered unit by unit until it leaves the window. */
export const UNITS_PER_WINDOW_MAX = 10_000;

/** Names are constants of ours, one for each upstream or key of one. */
export const NAMES_MAX = 1_000;

/** What one process may take of a window by itself while nobody can be asked: a quarter. */
export const SHARE_ALONE_DIVISOR = 4;

/** When to ask again for what this process's share can never hold: Redis may be back. */
export const RETRY_ALONE_MS = 1_000;
