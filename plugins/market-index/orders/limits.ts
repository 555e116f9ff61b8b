// Limits order books: how often they are read, how many pages, how long orders are kept.

/** How often due books are looked for, and how many are read at a time. */
export const BOOK_TICK_MS = 10_000;
export const BOOK_CONCURRENCY = 2;
export const BOOK_TIMEOUT_MS = 60_000;

/** How often a watched book is read; a large one less often, by what its pages cost. */
export const BOOK_EVERY_MS = 30_000;
export const BOOK_EVERY_PER_PAGE_MS = 3_000;

/** How old an interrupted reading may be to be continued by the next turn. */
export const BOOK_READING_MAX_MS = 600_000;

/** Pages of each side of a book: 5,000 orders. What lies beyond is reported as unknown. */
export const BOOK_PAGES_MAX = 25;

/** Orders that one statement writes. */
export const ORDERS_PER_STATEMENT_MAX = 1_000;

/** Order changes of a topic that are sent one by one; more become one `snapshot_required`. */
export const ORDER_FRAMES_MAX = 40;

/** Orders beyond the pages that were read stay active this long after they were last seen. */
export const UNSEEN_MS = 3_600_000;

/** An unchanged order is written again after so long, to record that it was seen. */
export const SEEN_AGAIN_MS = 600_000;

/** Retired orders are kept for a week. */
export const RETIRED_KEPT_MS = 7 * 86_400_000;
export const PRUNE_EVERY_MS = 60_000;
export const PRUNED_PER_STATEMENT_MAX = 5_000;
