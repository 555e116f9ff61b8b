/** The base URL of an application that configures none. */
export const WALLET_PROVIDER_BASE_URL_DEFAULT = "https://api.privy.io";

/** Limits a call, from its first byte to its answer's last. */
export const CALL_TIMEOUT_DEFAULT_MS = 30_000;
export const CALL_TIMEOUT_MAX_MS = 120_000;
/** A user with a hundred linked accounts is about 60 KB. */
export const ANSWER_BYTES_MAX = 256 * 1_024;
export const REQUEST_BYTES_MAX = 512 * 1_024;

/** Wallets, users and transactions are named by the provider: what is longer is no name. */
export const NAME_LENGTH_MAX = 128;
/** The provider's own limit for `reference_id`. */
export const REFERENCE_LENGTH_MAX = 64;
export const IDEMPOTENCY_KEY_LENGTH_MAX = 256;
export const ACCOUNTS_PER_USER_MAX = 200;
export const SIGNERS_PER_WALLET_MAX = 16;
export const KEYS_PER_QUORUM_MAX = 32;
export const TRANSACTIONS_PER_ANSWER_MAX = 100;
/** Nesting of what is signed: EIP-712 messages seldom reach ten. */
export const JSON_DEPTH_MAX = 64;
export const USERNAME_LENGTH_MAX = 64;

/**
 * Limits the key quorums that are remembered. Whether one has our key never changes: quorums are
 * replaced, not edited.
 */
export const QUORUMS_REMEMBERED_MAX = 256;
export const QUORUM_REMEMBERED_MS = 10 * 60_000;

export const TOKEN_LENGTH_MAX = 4_096;
/** Limits how far the clock of a token's issuer may be ahead of ours. */
export const TOKEN_CLOCK_SKEW_S = 60;
/** Limits the lifetime of a token: the provider's live an hour, and we cannot revoke them. */
export const TOKEN_EXPIRES_WITHIN_S = 86_400;
export const KEYS_PER_SET_MAX = 16;
/** Keys are asked for anew after this, and sooner where a token names one that we do not know. */
export const KEY_SET_FRESH_MS = 10 * 60_000;
/** Whoever invents key names cannot make us ask more often than this. */
export const KEY_SET_ASK_EVERY_MS = 30_000;
/** The wait for a new request while there are no keys at all, so that no user can sign in. */
export const KEY_SET_ASK_AGAIN_MS = 1_000;
/** The lifetime of the provider's last keys while the provider is away. */
export const KEY_SET_STALE_MS = 60 * 60_000;

/** Logs one line of a kind in this time; further failures are counted in the next line. */
export const LOG_EVERY_MS = 60_000;
