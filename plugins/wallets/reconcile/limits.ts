/** How often open submissions are looked at, and for how long one look may take. */
export const RECONCILE_EVERY_MS = 1_000;
export const RECONCILE_TIMEOUT_MS = 60_000;
/** Submissions of one tick, of them in one request, and by themselves at once. */
export const RECONCILE_ROWS_MAX = 2_000;
export const LOOKS_TOGETHER_MAX = 100;
export const RECONCILES_AT_ONCE = 8;
/** What was just sent is not mined yet: so long until it is looked at first. */
export const FIRST_LOOK_AFTER_MS = 1_000;
/** A submission whose row cannot be read is tried again so much later. */
export const UNREADABLE_AGAIN_MS = 30_000;
/** One look at one submission. */
export const LOOK_TIMEOUT_MS = 10_000;
/**
 * After the wallet provider may no longer act on a request, so long until its silence about it is a
 * proof: its own records lag behind.
 */
export const PROOF_GRACE_MS = 15_000;
/** What was proved never to have left is looked for so long all the same. */
export const WATCH_NEVER_MS = 86_400_000;
/**
 * What was sent and no node has known for so long is dropped: nodes forget what waits, and one that
 * was just started, or is asked for the first time, has not heard of it yet.
 */
export const UNSEEN_DROPPED_MS = 600_000;
/** What no node has shown so long after it was sent is asked for at the wallet provider too. */
export const ASK_AGAIN_AFTER_MS = 15_000;
/** An intent that nobody has taken further for so long is taken up: its process may be gone. */
export const STRANDED_AFTER_MS = 10_000;
/** What waits in a nonce queue for so long is taken up by whoever runs the job. */
export const QUEUE_IDLE_AFTER_MS = 1_000;
/** Intents taken up, or expired, in one tick. */
export const STRANDED_MAX = 50;
/** A hash that its owner reported is believed in for so long after a node last knew it. */
export const SIGNED_UNSEEN_MS = 1_800_000;
/** Intents in doubt that operators are shown at once; the oldest come first. */
export const UNRESOLVED_LISTED_MAX = 200;
