/** Transactions that share one commit, and such commits under way at once. */
export const SHARED_MAX = 32;
export const COMMITS_AT_ONCE = 2;
/** One that waits for a row for so long waits by itself: the others must not wait with it. */
export const SHARED_LOCK_TIMEOUT_MS = 250;
/** Transactions that wait their turn: of all, and of one owner, who must not fill the line. */
export const COMMITS_WAITING_MAX = 5_000;
export const OWNER_COMMITS_WAITING_MAX = 100;
