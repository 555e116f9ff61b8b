/** Price levels told of each side of an order book. */
export const DEPTH_LEVELS_MAX = 50;

/** Listings that whoever chooses among them is given at once, the rarest tokens first. */
export const TOKEN_LISTINGS_MAX = 10_000;

/** An urgent book is read again so often at most. */
export const URGENT_EVERY_MS = 10_000;

/** How long a book is kept current for whoever asked once. */
export const KEPT_CURRENT_MS = 300_000;
