/** Older events are dropped: the provider's clients page through the newest. */
export const EVENTS_PER_COLLECTION_MAX = 6_000;
/** Enough for a week of any collection here; all-time figures are counted separately. */
export const SALES_PER_COLLECTION_MAX = 20_000;
/** How many ended orders can still be found by their hash. */
export const ORDERS_MAX = 30_000;
export const COLLECTIONS_MAX = 500;
