/**
 * Limits the length of a sign-in message, and of a signature (ERC-6492 carries a factory's
 * calldata).
 */
export const SIWE_MESSAGE_LENGTH_MAX = 8_192;
export const SIWE_RESOURCES_MAX = 50;
export const SIGNATURE_BYTES_MAX = 16_384;

/** Letters and digits of a nonce: 24 of 62 are 142 bits. */
export const NONCE_LENGTH = 24;
/** Limits how long a nonce can be used, and so the age of a sign-in message, in milliseconds. */
export const NONCE_TTL_MS = 600_000;

/** Limits how far the clock of a wallet may be ahead of ours. */
export const CLOCK_SKEW_MS = 60_000;
/** Limits the time for which a sign-in message may claim to be valid. */
export const SIWE_LIFETIME_MAX_MS = 7 * 86_400_000;

/** Limits gas and time of the call that asks a contract whether a signature is its own. */
export const SIGNATURE_CALL_GAS_MAX = 5_000_000n;
export const SIGNATURE_CALL_TIMEOUT_MS = 5_000;

/** Ends a session that was not used for this long, and any session at its age limit. */
export const SESSION_IDLE_MS = 7 * 86_400_000;
export const SESSION_AGE_MAX_MS = 90 * 86_400_000;
/** Limits how often the use of a session is written: not each request is worth a write. */
export const SESSION_SLIDE_EVERY_MS = 600_000;
/** Limits the age of the sign-in by which an owner may weaken their own safeguard. */
export const SAFEGUARD_SIGN_IN_MAX_MS = 600_000;
/** Random bytes of a session's token. */
export const SESSION_TOKEN_BYTES = 32;
/** Limits the open sessions of a profile; one more ends the one that was unused longest. */
export const SESSIONS_PER_PROFILE_MAX = 50;
/** Limits the bearer token and the Cookie header that are read, in characters. */
export const BEARER_LENGTH_MAX = 4_096;
export const COOKIE_HEADER_LENGTH_MAX = 16_384;

/** How often expired sessions and nonces are deleted, and how many rows at a time. */
export const SIGN_IN_PRUNE_EVERY_MS = 60_000;
export const SIGN_IN_PRUNE_TIMEOUT_MS = 20_000;
export const SIGN_IN_PRUNE_ROWS_MAX = 10_000;

/** Limits the wallets that are linked to a profile at once. */
export const WALLETS_PER_PROFILE_MAX = 50;

/**
 * Limits the time of asking the wallet provider who a user is, and the wallets asked for at once.
 */
export const ENROLMENT_TIMEOUT_MS = 15_000;
export const ENROLMENT_CALLS_AT_ONCE_MAX = 4;

/** Digits of a USD figure that a person sets: microdollars in an int8. */
export const USD_DECIMALS = 6;
export const USD_MICROS_MAX = 9_000_000_000_000_000n;
