/** How often open submissions are looked at, and for how long one look may take. */
export const RECONCILE_EVERY_MS = 1_000;
export const RECONCILE_TIMEOUT_MS = 60_000;
/** Submissions of one tick, of them in one request, and by themselves at once. */
export const RECONCILE_ROWS_MAX = 2_000;
export const LOOKS_TOGETHER_MAX = 100;
export const RECONCILES_AT_ONCE = 8;
/** What is in one block with others is looked at so rarely, and one of them for all. */
export const RIDER_LOOK_MS = 60_000;
/** A submission whose row cannot be read is tried again so much later. */
export const UNREADABLE_AGAIN_MS = 30_000;
/** Of a chain that cannot be read, a few submissions are looked at again so much later. */
export const PROBE_AFTER_MS = 2_000;
/** Nothing is looked at so rarely: a later look was put off by a clock that was wrong. */
export const LOOKS_APART_MAX_MS = 1_800_000;
/** One look at one submission. */
export const LOOK_TIMEOUT_MS = 10_000;
/**
 * After the wallet provider may no longer act on a request, so long until its silence about it is a
 * proof: its own records lag behind.
 */
export const PROOF_GRACE_MS = 15_000;
/** What was proved never to have left is looked for so long all the same. */
export const WATCH_NEVER_MS = 86_400_000;
/** The same where no node can say again what the proof was, such as what used its nonce. */
export const WATCH_UNNAMED_MS = 7 * WATCH_NEVER_MS;
/**
 * What was sent and no node has known for so long is dropped: nodes forget what waits, and one that
 * was just started, or is asked for the first time, has not heard of it yet.
 */
export const UNSEEN_DROPPED_MS = 600_000;
/** An intent that nobody has taken further for so long is taken up: its process may be gone. */
export const STRANDED_AFTER_MS = 10_000;

/** An allowance that waits for another of its wallet's is asked for again after that. */
export const TURN_AFTER_MS = 500;
/** What waits in a nonce queue for so long is taken up by whoever runs the job. */
export const QUEUE_IDLE_AFTER_MS = 1_000;
/** What the job took up is not taken up again before then: other queues have their turn first. */
export const QUEUE_AGAIN_AFTER_MS = 1_000;
/** Intents taken up, or expired, in one tick. */
export const STRANDED_MAX = 50;
/** A hash that its owner reported is believed in for so long after a node last knew it. */
export const SIGNED_UNSEEN_MS = 1_800_000;
/** Of what is sent on a chain, so many are searched for in a new block. */
export const SENT_ROWS_MAX = 10_000;
/** New blocks that are read at once; of more, the newest. What is older is found by the clock. */
export const HEAD_BLOCKS_MAX = 8;
/** Blocks whose hashes are remembered, for what is written down only after its block came. */
export const REMEMBERED_BLOCKS = 16;
export const REMEMBERED_HASHES_MAX = 200_000;
/** Between two searches for new heads of one chain, however fast its blocks come. */
export const HEADS_APART_MS = 200;
/** So long after a head its block is searched once more, for hashes that were written late. */
export const SEARCH_AGAIN_MS = 100;
/** One search of new blocks, with the looks at what is found in them. */
export const HEAD_TIMEOUT_MS = 10_000;
/** How often it is read which chains have something sent on them. */
export const FOLLOW_EVERY_MS = 1_000;
/** A chain on which nothing is sent any more is followed for so long: more may come. */
export const FOLLOWED_IDLE_MS = 60_000;
/** What was sent so long ago has its chain followed no longer. */
export const FOLLOWED_SENT_MS = 3_600_000;
/** Between polls for a head: without a socket, and with one (doubted after ten of them). */
export const HEAD_POLL_MS = 1_000;
export const HEAD_POLL_BESIDE_SOCKET_MS = 2_000;
