/** A sign-in message, and a signature (ERC-6492 carries a factory's calldata), at their longest. */
export const SIWE_MESSAGE_LENGTH_MAX = 8_192;
export const SIWE_RESOURCES_MAX = 50;
export const SIGNATURE_BYTES_MAX = 16_384;

/** Letters and digits of a nonce: 24 of 62 are 142 bits. */
export const NONCE_LENGTH = 24;
/** How long a nonce can be used, and so how old a message can be. */
export const NONCE_TTL_MS = 600_000;

/** How far ahead of ours the clock of a wallet may go. */
export const CLOCK_SKEW_MS = 60_000;
/** The longest that a message may say it is good for. */
export const SIWE_LIFETIME_MAX_MS = 7 * 86_400_000;

/** Gas and time for asking a contract whether a signature is its own. */
export const SIGNATURE_CALL_GAS_MAX = 5_000_000n;
export const SIGNATURE_CALL_TIMEOUT_MS = 5_000;

/** A session ends when it was not used for so long, and in any case at its age limit. */
export const SESSION_IDLE_MS = 7 * 86_400_000;
export const SESSION_AGE_MAX_MS = 90 * 86_400_000;
/** Notes a session's use at most so often: not each request is worth a write. */
export const SESSION_SLIDE_EVERY_MS = 600_000;
/** How long after a sign-in a safeguard of one's own can be weakened. */
export const SAFEGUARD_SIGN_IN_MAX_MS = 600_000;
/** Random bytes of a session's token. */
export const SESSION_TOKEN_BYTES = 32;
/** Open sessions of a profile; one more ends the one that was silent longest. */
export const SESSIONS_PER_PROFILE_MAX = 50;
/** Longest bearer token that is looked at, and longest Cookie header. */
export const BEARER_LENGTH_MAX = 4_096;
export const COOKIE_HEADER_LENGTH_MAX = 16_384;

/** How often expired sessions and nonces are deleted, and how many rows at a time. */
export const SIGN_IN_PRUNE_EVERY_MS = 60_000;
export const SIGN_IN_PRUNE_TIMEOUT_MS = 20_000;
export const SIGN_IN_PRUNE_ROWS_MAX = 10_000;

/** Wallets of a profile that are linked at once. */
export const WALLETS_PER_PROFILE_MAX = 50;

/** Asking the wallet provider who somebody is: in all, and wallets asked for at once. */
export const ENROLMENT_TIMEOUT_MS = 15_000;
export const ENROLMENT_CALLS_AT_ONCE_MAX = 4;

/** Digits of a USD figure that a person sets: microdollars in an int8. */
export const USD_DECIMALS = 6;
export const USD_MICROS_MAX = 9_000_000_000_000_000n;
