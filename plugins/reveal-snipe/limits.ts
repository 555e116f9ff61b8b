/** Tokens of a collection that a look is at. */
export const PROBE_TOKENS = 8;

/** Looks at one collection stand so far apart: those for blocks, and those for logs. */
export const BLOCK_APART_MS = 400;
export const EVENT_APART_MS = 100;
/** Documents are asked for so often at most, unless the contract itself says that they changed. */
export const DOCUMENTS_APART_MS = 2_000;

/** Every collection is looked at so often, whatever happened; a tick of the burst comes with it. */
export const POLL_EVERY_MS = 20_000;

/** How often it is looked up which collections are watched. */
export const REFRESH_EVERY_MS = 1_000;

/** How often the names in the configuration are looked up: collections come to be known later. */
export const NAMED_EVERY_MS = 5_000;

/** Collections that are watched at once on a chain: those watched longest go first. */
export const WATCHED_MAX = 500;

/** A shown collection that looks hidden again is believed after so many looks at its documents. */
export const HIDDEN_AGAIN_LOOKS = 3;

/** One URI read, and one document, of a look: then it is given up. */
export const LOOK_TIMEOUT_MS = 10_000;

/** A run of one burst: what is not read by then is read by the next one. */
export const BURST_MS = 180_000;
/** How much of a collection must have been read, and must show traits, in percent. */
export const COVERED_PERCENT = 95;
/** A burst that could not cover its collection by then is given up. */
export const BURST_LIFE_MS = 3_600_000;
/**
 * After a burst that found many tokens still hidden: how long until the next one, where tokens that
 * are looked at show something else than at the last one, and where they do not.
 */
export const PARTIAL_CHANGED_MS = 15_000;
export const PARTIAL_SAME_MS = 60_000;

/** Heads are asked for so often where no socket speaks, and beside one. */
export const HEAD_POLL_MS = 1_000;
export const HEAD_POLL_BESIDE_SOCKET_MS = 3_000;

/** Addresses in one subscription at first; halved where the node says that they are too many. */
export const ADDRESSES_MAX = 500;
/** Before a socket is opened again, doubled each time, and at most. */
export const RECONNECT_FIRST_MS = 250;
export const RECONNECT_MAX_MS = 10_000;

/** Reveals that are listed as recent, and how long detections are kept. */
export const RECENT_MS = 86_400_000;
export const KEPT_MS = 30 * 86_400_000;
export const PRUNE_EVERY_MS = 3_600_000;
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;
