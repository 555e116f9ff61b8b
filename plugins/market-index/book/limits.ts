/** Price levels that are shown of each side of an order book. */
export const DEPTH_LEVELS_MAX = 50;

/** The most listings that are returned to choose among, the rarest tokens first. */
export const TOKEN_LISTINGS_MAX = 10_000;

/** An urgent book is read again at most this often. */
export const URGENT_EVERY_MS = 10_000;

/** How long a book is kept current after one request. */
export const KEPT_CURRENT_MS = 300_000;
