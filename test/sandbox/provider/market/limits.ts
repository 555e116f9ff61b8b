/** Older events are forgotten: the newest are what the provider's clients page through. */
export const EVENTS_PER_COLLECTION_MAX = 6_000;
/** Enough for a week of any collection here; all-time figures are counted apart. */
export const SALES_PER_COLLECTION_MAX = 20_000;
/** Orders that ended are still found by their hash, up to so many. */
export const ORDERS_MAX = 30_000;
export const COLLECTIONS_MAX = 500;
