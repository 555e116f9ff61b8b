/** Free lower nonces that one cancellation fills; asked again, it fills as many more. */
export const FILLS_MAX = 64;
/** A cancellation that is on its way is not sent anew, at a better price, before then. */
export const CANCEL_AGAIN_AFTER_MS = 60_000;
/** Of the limit for network fees: it offers more than a payment that may have offered all of it. */
export const FEE_LIMIT_TIMES = 2n;
/** Where its simulation reverts: the account has code, and what reverts uses its nonce as well. */
export const GAS_WHERE_IT_REVERTS = 200_000n;
