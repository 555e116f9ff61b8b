/** Units of one buy: above every edition that is sold whole, and exact in a JSON number. */
export const UNITS_MAX = 1_000_000;

/** Payments of one order: the seller's, the market's, artists'. */
export const PAYMENTS_MAX = 16;
/** A bulk signature over 2^24 orders has 836 bytes; a contract's may be longer. */
export const SIGNATURE_BYTES_MAX = 4_096;
/** What a zone is told: its own signature and a little context. */
export const EXTRA_DATA_BYTES_MAX = 1_024;
/** Attribution behind the calldata. The provider's has four. */
export const SUFFIX_BYTES_MAX = 32;
/** Orders that a fulfilment of one listing repeats. */
export const ORDERS_MAX = 1;

/** A plan is judged, simulated and handed over in less; later it is made anew. */
export const PLAN_LIFETIME_MS = 30_000;

/** Intents on a page. */
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;

/** Planning (20 s), the chain and the wallet provider (its own limits), one after the other. */
export const ADVANCE_TIMEOUT_MS = 60_000;
/** The connection stays open for longer than that, and than writing it down takes. */
export const ANSWER_IDLE_SECONDS = 120;

/** Breaks before a snipe asks for a fulfilment again. */
export const AGAIN_AFTER_MS: readonly number[] = [100, 200, 400, 800];
