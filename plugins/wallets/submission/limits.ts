/** What was just sent is not mined yet: so long until it is looked at first. */
export const FIRST_LOOK_AFTER_MS = 1_000;
/** The same where this process searches each new block of its chain, and finds it there sooner. */
export const FIRST_LOOK_BEHIND_HEADS_MS = 1_500;
/** What no node has shown so long after it was sent is asked for at the wallet provider too. */
export const ASK_AGAIN_AFTER_MS = 15_000;
/**
 * How many times the limit for network fees a cancellation may offer: it has to offer more than a
 * payment that may have offered all of it.
 */
export const FEE_LIMIT_TIMES = 2n;
