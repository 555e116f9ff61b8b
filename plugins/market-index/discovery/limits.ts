// Limits discovery: how often lists and searches are read, and how long they are kept.

/** How often the worker reads the provider's lists. */
export const DISCOVER_EVERY_MS = 60_000;
export const DISCOVER_TIMEOUT_MS = 55_000;

/** Rows of one list; also the provider's largest page. */
export const LISTED_MAX = 100;

/** How long a list that the worker read is served. */
export const LIST_KEPT_MS = 900_000;

/** The same for a list that was read for one request. */
export const ASKED_LIST_KEPT_MS = 45_000;

/** Stats of a collection are not read again before that. */
export const STATS_KEPT_MS = 180_000;

/** Rows whose floor and owners are filled: of one mode in one tick, and of one page. */
export const FILLED_PER_TICK_MAX = 10;
export const FILLED_PER_PAGE_MAX = 8;

/** How long a page waits for the provider: for a list, and for the figures of its rows. */
export const LIST_TIMEOUT_MS = 5_000;
export const FILL_TIMEOUT_MS = 3_000;

/** How long the provider's answer to a search is kept, for all who ask the same. */
export const ANSWER_KEPT_MS = 30_000;

/** Answers that a process keeps, of 50 hits at most each. */
export const ANSWERS_KEPT_MAX = 500;

/** After a refusal the provider is not searched for as long as it says, and at most so long. */
export const REFUSED_MAX_MS = 30_000;

/** How long a search waits for the provider. */
export const SEARCH_TIMEOUT_MS = 2_500;

/** The provider's hits in one search; also its largest page. */
export const SEARCHED_MAX = 50;

/** A process queues a collection that searches show at most this often. */
export const FOUND_EVERY_MS = 20_000;

/** Collections that a process remembers as queued. */
export const FOUND_MAX = 10_000;
