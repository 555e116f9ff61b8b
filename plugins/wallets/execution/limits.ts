/** What a kind may take to say what would be sent. */
export const PREPARE_TIMEOUT_MS = 20_000;
/** Far above every order we fill. */
export const CALLDATA_BYTES_MAX = 65_536;
/** Intents of one call; a wallet transfer has as many recipients. */
export const BATCH_MAX = 50;
/** Plans of a batch made at once. */
export const PREPARES_AT_ONCE = 4;
/** An intent that was not sent by then is not sent any more. */
export const INTENT_LIFETIME_MS = 120_000;
/** A question to its owner, and the link it was asked with, stand as long. */
export const QUESTION_LIFETIME_MS = 600_000;
/** Between taking a nonce and handing over: later than that it is not handed over at all. */
export const HAND_OVER_WITHIN_MS = 5_000;
/** Where its simulation reverts: the account has code, and what reverts uses its nonce as well. */
export const GAS_WHERE_IT_REVERTS = 200_000n;
