/** The most recipients of one request, which is also the largest batch of intents. */
export const RECIPIENTS_MAX = 50;
/** Longer texts are refused without parsing. */
export const ADDRESS_LENGTH_MAX = 100;
export const AMOUNT_LENGTH_MAX = 160;
/** The most problems that one answer lists. */
export const ISSUES_MAX = 32;
/** Below this are precompiled contracts and other addresses without an owner. */
export const RESERVED_ADDRESSES = 0x1_0000n;
/** How long a request continues its batch before it answers. */
export const ADVANCE_TIMEOUT_MS = 25_000;
/** The connection stays open longer than that. */
export const ANSWER_IDLE_SECONDS = 60;
/**
 * A transfer's plan depends only on the request and on the recipient's code, so it stays valid
 * long. The last of a large batch is handed over long after the first.
 */
export const PLAN_LIFETIME_MS = 600_000;
/** A page of transfers. */
export const TRANSFERS_PAGE = 50;
export const TRANSFERS_PAGE_MAX = 200;

/** The most decimals of a token: real ones have at most 24. */
export const COIN_DECIMALS_MAX = 36;

/** The time limit for reading a token's decimals. */
export const COIN_TIMEOUT_MS = 5_000;
