/** How often the issuer's list is read and all assets are checked on chain. */
export const SYNC_SECONDS_DEFAULT = 300;
export const SYNC_TIMEOUT_MS = 60_000;

/** The issuer's answer: 194 assets are some 200 KB. */
export const LIST_TIMEOUT_MS = 15_000;
export const LIST_BYTES_MAX = 8 * 1_048_576;
export const LIST_ROWS_MAX = 2_000;
export const DEPLOYMENTS_MAX = 64;

/** Rows of the registry; what is new beyond them is left out. */
export const ASSETS_MAX = 4_000;

/** A list from which more than this part of the listed is gone at once is not believed. */
export const LEAVING_PART_MAX = 5;

export const SYMBOL_LENGTH_MAX = 16;
export const NAME_LENGTH_MAX = 120;
export const UID_LENGTH_MAX = 128;

/** One call of a contract that nobody vouches for may burn this much of a node's time. */
export const VIEW_GAS = "0x7a120";

/** ERC-8056 multipliers: 1e18 is one share for a token; beyond a million it is a mistake. */
export const MULTIPLIER_ONE = 10n ** 18n;
export const MULTIPLIER_MAX = 10n ** 24n;

/** More places than any stock token or coin of settlement has. */
export const TOKEN_DECIMALS_MAX = 36;

/** How often pools are read and ranked again. */
export const POOLS_EVERY_MS = 10_000;
export const POOLS_TIMEOUT_MS = 8_000;
