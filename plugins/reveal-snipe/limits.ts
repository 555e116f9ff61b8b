/** How many tokens of a collection one look reads. */
export const PROBE_TOKENS = 8;

/** The least time between looks at one collection: for blocks, and for logs. */
export const BLOCK_APART_MS = 400;
export const EVENT_APART_MS = 100;
/** The least time between reads of documents, unless the contract announces a change. */
export const DOCUMENTS_APART_MS = 2_000;

/** How often every collection is looked at without a reason, and bursts are continued. */
export const POLL_EVERY_MS = 20_000;

/** How often the list of watched collections is read. */
export const REFRESH_EVERY_MS = 1_000;

/** How often the configured names are looked up: a collection may become known later. */
export const NAMED_EVERY_MS = 5_000;

/** The most collections that are watched at once on a chain: those watched longest come first. */
export const WATCHED_MAX = 500;

/** How many looks at documents in a row must find a revealed collection hidden again. */
export const HIDDEN_AGAIN_LOOKS = 3;

/** The time limit for reading one URI, and one document, in a look. */
export const LOOK_TIMEOUT_MS = 10_000;

/** The time of one run of a burst; the next run continues. */
export const BURST_MS = 180_000;
/** How much of a collection must have been read, and must show traits, in percent. */
export const COVERED_PERCENT = 95;
/** When a burst that could not cover its collection is given up. */
export const BURST_LIFE_MS = 3_600_000;
/**
 * The delay after a burst that found many tokens still hidden: shorter where the sample tokens show
 * a change since then, longer where they do not.
 */
export const PARTIAL_CHANGED_MS = 15_000;
export const PARTIAL_SAME_MS = 60_000;

/** How often heads are polled without a socket, and beside one. */
export const HEAD_POLL_MS = 1_000;
export const HEAD_POLL_BESIDE_SOCKET_MS = 3_000;

/** Addresses in one subscription at first; halved where the node refuses that many. */
export const ADDRESSES_MAX = 500;
/**
 * The delay before a socket is opened again: the first one, doubled each time, and the longest one.
 */
export const RECONNECT_FIRST_MS = 250;
export const RECONNECT_MAX_MS = 10_000;

/** How long reveals are listed as recent, and how long detections are kept. */
export const RECENT_MS = 86_400_000;
export const KEPT_MS = 30 * 86_400_000;
export const PRUNE_EVERY_MS = 3_600_000;
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;
