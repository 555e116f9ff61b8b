// Bounds trades, and the registry of stock tokens.

/** The chain on which trades are made. */
export const TRADE_CHAIN_ID = 4663;

/** The lifetime of a quote after it was requested. */
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

/** The deadline of a swap that we send, counted from planning: it cannot be mined later. */
export const SENT_DEADLINE_MS = 120_000;
/**
 * The deadline of a swap that the owner's wallet sends: the lifetime of the link, and a little
 * more.
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

/** Says how often the issuer's list is read and all assets are checked on chain. */
export const SYNC_SECONDS_DEFAULT = 300;
export const SYNC_TIMEOUT_MS = 60_000;

/** Limits of the issuer's answer: 194 assets are some 200 KB. */
export const LIST_TIMEOUT_MS = 15_000;
export const LIST_BYTES_MAX = 8 * 1_048_576;
export const LIST_ROWS_MAX = 2_000;
export const DEPLOYMENTS_MAX = 64;

/** Limits the rows of the registry; new tokens beyond them are left out. */
export const ASSETS_MAX = 4_000;

/** A list that lacks more than one fifth of the listed tokens at once is not trusted. */
export const LEAVING_PART_MAX = 5;

export const SYMBOL_LENGTH_MAX = 16;
export const NAME_LENGTH_MAX = 120;
export const UID_LENGTH_MAX = 128;

/** ERC-8056 multipliers: 1e18 is one share per token; above a million shares it is a mistake. */
export const MULTIPLIER_ONE = 10n ** 18n;
export const MULTIPLIER_MAX = 10n ** 24n;

/** Limits decimals: more than any stock token or settlement currency has. */
export const TOKEN_DECIMALS_MAX = 36;

/** Says how often pools are read and ranked again. */
export const POOLS_EVERY_MS = 10_000;
export const POOLS_TIMEOUT_MS = 8_000;

/** The interval of deleting rows older than a day from our own record of pools. */
export const PRUNE_EVERY_MS = 600_000;
