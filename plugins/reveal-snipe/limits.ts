// Declares the limits of watching for reveals, of bursts, and of plans.

import { DAY_MS } from "#core/time.ts";

/** The number of a collection's tokens that one check for a reveal reads. */
export const PROBE_TOKENS = 8;

/** The least time between checks of one collection: for blocks, and for logs. */
export const BLOCK_APART_MS = 400;
export const EVENT_APART_MS = 100;
/** The least time between reads of documents, unless the contract announces a change. */
export const DOCUMENTS_APART_MS = 2_000;

/** The interval at which every collection is checked without a reason, and bursts are continued. */
export const POLL_EVERY_MS = 20_000;

/** How often the list of watched collections is read. */
export const REFRESH_EVERY_MS = 1_000;

/** How often the configured names are looked up: a collection may become known later. */
export const NAMED_EVERY_MS = 5_000;

/** The most collections that are watched at once on a chain: those watched longest come first. */
export const WATCHED_MAX = 500;

/** The number of checks of documents in a row that must find a revealed collection hidden again. */
export const HIDDEN_AGAIN_LOOKS = 3;

/** The time limit of a check for reading one URI, and one document. */
export const LOOK_TIMEOUT_MS = 10_000;
/** The most looks at once at contracts that hold their drawings: up to eight documents each. */
export const LOOKS_APART_MAX = 4;
/** The characters of a check's URIs from which on it counts as such a look until its end. */
export const LONG_URIS_LENGTH = 65_536;

/** Limits how long a check waits for its last documents once half are there. */
export const DOCUMENTS_GRACE_MS = 250;

/** The time of one run of a burst; the next run continues. */
export const BURST_MS = 180_000;
/** The share of a collection that must have been read, and revealed, in percent. */
export const COVERED_PERCENT = 95;
/** Limits the wait for the last tokens once enough are revealed. */
export const COVERED_GRACE_MS = 250;
/** The time from one reading of tokens that are hidden still to the next: it grows. */
export const AGAIN_FIRST_MS = 1_000;
export const AGAIN_TIMES = 1.3;
export const AGAIN_MAX_MS = 15_000;
/** The interval of starting early plans while tokens are being revealed. */
export const SHOWN_EVERY_MS = 1_000;
/** The age at which a burst that could not cover its collection is given up. */
export const BURST_LIFE_MS = 3_600_000;
/**
 * The delay after a burst that found many tokens still hidden: shorter where the sample tokens show
 * a change since then, longer where they do not.
 */
export const PARTIAL_CHANGED_MS = 15_000;
export const PARTIAL_SAME_MS = 60_000;

/** The interval of polling heads without a socket, and beside one. */
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

/** Reveals, and plans, on a page. */
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;

/** The lifetime of a plan that names no end; and the longest one. */
export const LIFETIME_DEFAULT_MS = 30 * DAY_MS;
export const LIFETIME_MAX_MS = 365 * DAY_MS;

/** The most plans of one profile that are armed or paused at once. */
export const OPEN_PLANS_MAX = 50;
export const ITEMS_MAX = 100;
export const RANK_MAX = 1_000_000;
/** Limits the tip per gas of a plan: 1000 gwei. */
export const PRIORITY_FEE_MAX = 1_000_000_000_000n;
/** The most traits of a plan, values of each, and characters of a text. */
export const TRAITS_MAX = 16;
export const TRAIT_VALUES_MAX = 32;
export const TRAIT_LENGTH_MAX = 128;

/** Limits how long one process may evaluate a plan; a pass ends before that. */
export const EVALUATION_LOCK_MS = 120_000;
export const PASS_MS = 100_000;
/** The most intents of one pass: refused ones count against their owner's quota. */
export const PASS_ATTEMPTS_MAX = 40;
/** The most intents for one token of a plan, in all passes. */
export const TOKEN_ATTEMPTS_MAX = 8;

/** Limits how long plans are evaluated after a reveal, and how often. */
export const EVALUATED_FOR_MS = 30 * 60_000;
export const EVALUATED_EVERY_MS = 15_000;
/** Sooner after a rate limit of the provider. */
export const LIMITED_AGAIN_MS = 5_000;

/** How often due plans are looked for. */
export const DUE_EVERY_MS = 2_000;
/** How often open plans are checked: wallet, profile and time. */
export const CHECK_EVERY_MS = 60_000;
/** Plans per statement where all of them are read. */
export const PAGE_OF_PLANS = 500;

/** The time limit for one intent, from planning to the wallet provider's answer. */
export const ADVANCE_TIMEOUT_MS = 60_000;
/** The most buys of one pass that are under way at once; their nonces are planned in one queue. */
export const BUYS_AT_ONCE = 4;
/** The most pending fills of one process. */
export const FILLS_AT_ONCE = 4;
/** The most fills of all processes per minute: each requests a listing and its fulfilment. */
export const FILLS_PER_MINUTE_DEFAULT = 30;
export const FILLS_PER_MINUTE_MAX = 600;

/** How often the collections that plans wait for are read. */
export const WATCHED_EVERY_MS = 5_000;
/** The most collections with plans whose order books are kept current permanently. */
export const BOOKS_KEPT_MAX = 20;

/** How long the book of a reveal is kept, and how many skipped listings a dry run names. */
export const BOOKS_KEPT_MS = 30 * DAY_MS;
export const DRY_RUN_SKIPPED_MAX = 200;
export const PRUNE_BOOKS_EVERY_MS = 3_600_000;
