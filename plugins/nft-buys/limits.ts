/** Names of the outbound calls that only a buy makes; the execution path has its own list. */
export const buySteps = [
	"nft_buy.collection",
	"nft_buy.listing",
	"nft_buy.order_state",
	"nft_buy.fulfilment",
	"nft_buy.funds",
	"nft_buy.ownership",
] as const;

export type BuyStep = (typeof buySteps)[number];

/**
 * The most units of one buy: above every edition that is sold whole, and exact in a JSON number.
 */
export const UNITS_MAX = 1_000_000;

/** The most payments of one order: to the seller, the market, artists. */
export const PAYMENTS_MAX = 16;
/** A bulk signature over 2^24 orders has 836 bytes; a contract's may be longer. */
export const SIGNATURE_BYTES_MAX = 4_096;
/** Data for a zone: its own signature and a little context. */
export const EXTRA_DATA_BYTES_MAX = 1_024;
/** Attribution after the calldata. The provider's has four bytes. */
export const SUFFIX_BYTES_MAX = 32;
/** The most copies of the order in a fulfilment of one listing. */
export const ORDERS_MAX = 1;

/** A plan is checked, simulated and handed over within this time; later it is made again. */
export const PLAN_LIFETIME_MS = 30_000;

/** Intents on a page. */
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;

/**
 * Time for planning (20 s), the chain and the wallet provider (with its own limits), one after the
 * other.
 */
export const ADVANCE_TIMEOUT_MS = 60_000;
/** The connection stays open longer than that, including the time to store the result. */
export const ANSWER_IDLE_SECONDS = 120;

/** Delays before a snipe requests a fulfilment again, in milliseconds. */
export const AGAIN_AFTER_MS: readonly number[] = [100, 200, 400, 800];
