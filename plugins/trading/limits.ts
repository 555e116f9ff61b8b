/** The chain on which trades are made. */
export const TRADE_CHAIN_ID = 4663;

/** How long a quote is valid after it was requested. */
export const QUOTE_LIFETIME_MS = 30_000;
/** The most pools that one swap goes through. */
export const HOPS_MAX = 3;
/** The most pools tried per pair of tokens, those with the most liquidity first. */
export const POOLS_PER_PAIR = 3;
/** The most routes from one token to another that are quoted. */
export const ROUTES_MAX = 12;

/** The largest answer of a hosted router, in bytes. */
export const ROUTER_BODY_BYTES_MAX = 256_000;
/** The most split routes in its answer, and the most pools of each. */
export const ROUTER_WAYS_MAX = 16;
export const ROUTER_POOLS_MAX = 8;
/** The most time for one call of the router; a quote usually ends it sooner. */
export const ROUTER_TIMEOUT_MS = 15_000;
/** How long calls to the router pause after a refusal that names no time, in milliseconds. */
export const ROUTER_PAUSE_MS = 1_000;

/** Basis points of the whole. */
export const BPS = 10_000n;

/** How long after planning a swap that we send may still be mined. */
export const SENT_DEADLINE_MS = 120_000;
/**
 * The same for a swap that the owner's wallet sends: the lifetime of the link, and a little more.
 */
export const SIGNED_DEADLINE_MS = 720_000;

/** The longest text of a command. */
export const COMMAND_CHARS_MAX = 200;
/** The longest ticker or address. */
export const ASSET_CHARS_MAX = 64;
export const AMOUNT_CHARS_MAX = 64;

/** Time for quoting, planning, the chain and the wallet provider, one after the other. */
export const ADVANCE_TIMEOUT_MS = 60_000;
/** The connection stays open longer than that. */
export const ANSWER_IDLE_SECONDS = 120;

/** Rows on a page: of stock tokens, and of trades. */
export const PAGE = { default: 50, max: 200 };
