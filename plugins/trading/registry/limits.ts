/** How often the issuer's list is read and all assets are checked on chain. */
export const SYNC_SECONDS_DEFAULT = 300;
export const SYNC_TIMEOUT_MS = 60_000;

/** Limits of the issuer's answer: 194 assets are some 200 KB. */
export const LIST_TIMEOUT_MS = 15_000;
export const LIST_BYTES_MAX = 8 * 1_048_576;
export const LIST_ROWS_MAX = 2_000;
export const DEPLOYMENTS_MAX = 64;

/** The most rows of the registry; new tokens beyond them are left out. */
export const ASSETS_MAX = 4_000;

/** A list that lacks more than one fifth of the listed tokens at once is not trusted. */
export const LEAVING_PART_MAX = 5;

export const SYMBOL_LENGTH_MAX = 16;
export const NAME_LENGTH_MAX = 120;
export const UID_LENGTH_MAX = 128;

/** ERC-8056 multipliers: 1e18 is one share per token; above a million shares it is a mistake. */
export const MULTIPLIER_ONE = 10n ** 18n;
export const MULTIPLIER_MAX = 10n ** 24n;

/** More decimals than any stock token or settlement currency has. */
export const TOKEN_DECIMALS_MAX = 36;

/** How often pools are read and ranked again. */
export const POOLS_EVERY_MS = 10_000;
export const POOLS_TIMEOUT_MS = 8_000;

/** How often our own record of pools is rid of what is older than a day. */
export const PRUNE_EVERY_MS = 600_000;
