import { DAY_MS } from "#core/time/units.ts";

/** The lifetime of a plan that names no end; and the longest one. */
export const LIFETIME_DEFAULT_MS = 30 * DAY_MS;
export const LIFETIME_MAX_MS = 365 * DAY_MS;

/** The most plans of one profile that are armed or paused at once. */
export const OPEN_PLANS_MAX = 50;
export const ITEMS_MAX = 100;
export const RANK_MAX = 1_000_000;
/** The most traits of a plan, values of each, and characters of a text. */
export const TRAITS_MAX = 16;
export const TRAIT_VALUES_MAX = 32;
export const TRAIT_LENGTH_MAX = 128;

/** How long one process may evaluate a plan; a pass ends before that. */
export const EVALUATION_LOCK_MS = 120_000;
export const PASS_MS = 100_000;
/** The most intents of one pass: refused ones count against their owner's quota. */
export const PASS_ATTEMPTS_MAX = 40;
/** The most intents for one token of a plan, in all passes. */
export const TOKEN_ATTEMPTS_MAX = 8;

/** How long plans are evaluated after a reveal, and how often. */
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
/** The most pending fills of one process. */
export const FILLS_AT_ONCE = 4;
/** The most fills of all processes per minute: each requests a listing and its fulfilment. */
export const FILLS_PER_MINUTE_DEFAULT = 30;
export const FILLS_PER_MINUTE_MAX = 600;

/** Plans on a page. */
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;

/** How often the collections that plans wait for are read. */
export const WATCHED_EVERY_MS = 5_000;
/** The most collections with plans whose order books are kept current permanently. */
export const BOOKS_KEPT_MAX = 20;

/** How long the book of a reveal is kept, and how many skipped listings a dry run names. */
export const BOOKS_KEPT_MS = 30 * DAY_MS;
export const DRY_RUN_SKIPPED_MAX = 200;
export const PRUNE_BOOKS_EVERY_MS = 3_600_000;
