/** Recipients of one wallet transfer; as many intents make a batch. */
export const RECIPIENTS_MAX = 50;
/** Texts that are no address or no amount are not even looked at beyond that. */
export const ADDRESS_LENGTH_MAX = 100;
export const AMOUNT_LENGTH_MAX = 160;
/** Problems of one request that are told. */
export const ISSUES_MAX = 32;
/** Below it are precompiled contracts and other addresses that nobody has a key for. */
export const RESERVED_ADDRESSES = 0x1_0000n;
/** What taking a batch further may take of the time that its owner waits for the answer. */
export const ADVANCE_TIMEOUT_MS = 25_000;
/** The connection stays open for longer than that. */
export const ANSWER_IDLE_SECONDS = 60;
/**
 * A transfer's plan holds what was asked and what code is where, and does not age fast. The last of
 * a large batch is handed over long after the first.
 */
export const PLAN_LIFETIME_MS = 600_000;
/** A page of transfers. */
export const TRANSFERS_PAGE = 50;
export const TRANSFERS_PAGE_MAX = 200;

/** Decimals of a token: real ones have at most 24, and more is no amount that anybody types. */
export const COIN_DECIMALS_MAX = 36;

/** What asking a token for its decimals may take. */
export const COIN_TIMEOUT_MS = 5_000;
