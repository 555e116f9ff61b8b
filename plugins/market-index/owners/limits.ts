/** Contracts that are added to the watched ones in one transaction. */
export const WATCHED_PER_TURN_MAX = 100;

/** How often recipients are counted again, for how many collections, and for how long. */
export const RECIPIENTS_EVERY_MS = 10_000;
export const RECIPIENTS_COLLECTIONS_MAX = 100;
export const RECIPIENTS_BUSY_MS = 250;

/** After so long without a mint or a sale a collection gives its place to an active one. */
export const SILENT_DAYS = 7;
export const REPLACE_EVERY_MS = 60_000;

/** How often owners that are not kept any more are deleted, for how long, and rows at a time. */
export const GARBAGE_EVERY_MS = 5_000;
export const GARBAGE_BUSY_MS = 250;
export const GARBAGE_ROWS_MAX = 1_000;
