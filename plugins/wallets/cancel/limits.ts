/** Free lower nonces that one cancellation fills; asked again, it fills as many more. */
export const FILLS_MAX = 64;
/** A cancellation that is on its way is not sent anew, at a better price, before then. */
export const CANCEL_AGAIN_AFTER_MS = 60_000;
