/** How often figures of what waits are made, and how long one answer is given again. */
export const WATCH_EVERY_MS = 10_000;
export const WATCH_TIMEOUT_MS = 30_000;
export const WATCH_FRESH_MS = 5_000;
/** Intents that are judged one by one for the figures; the oldest come first. */
export const WATCHED_MAX = 1_000;
/** Open intents that are counted. More are shown as so many. */
export const COUNTED_MAX = 20_000;
/** What waits in a nonce queue for so long is looked into: by then the job had several turns. */
export const QUEUED_BLOCKED_AFTER_MS = 10_000;
/** Nonces of one account that are read. */
export const HELD_MAX = 2_000;
/** Entries of the spend ledger that one turn checks: the newest ones, and as many older ones. */
export const LEDGER_CHECKED_MAX = 500;
/** Intents whose entries do not fit that are remembered. More are as bad. */
export const LEDGER_FLAWS_MAX = 1_000;
/** Blocks that a transaction is given before it counts as slow. */
export const SLOW_AFTER_BLOCKS = 20;
/** Intents that operators are shown at once; the oldest come first. */
export const WAITING_LISTED_MAX = 200;
