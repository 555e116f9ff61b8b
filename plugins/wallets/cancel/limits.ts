/** Free lower nonces that one cancellation fills; asked again, it fills as many more. */
export const FILLS_MAX = 64;
/** A cancellation that is on its way is not sent anew, at a better price, before then. */
export const CANCEL_AGAIN_AFTER_MS = 60_000;
/** Cancellations that an owner may report for one intent; each is looked for like a payment. */
export const REPORTED_CANCELLATIONS_MAX = 20;
/** Of those, and of the payment itself, so many are asked for what they offer. */
export const REPLACED_READ_MAX = 8;
/** What a transaction of nothing uses, of an account without code. */
export const SELF_TRANSFER_GAS = 21_000n;
