import { DAY_MS } from "#core/time/units.ts";

/** A plan that names no end is armed for so long; and at most. */
export const LIFETIME_DEFAULT_MS = 30 * DAY_MS;
export const LIFETIME_MAX_MS = 365 * DAY_MS;

/** Plans of one profile that are armed or paused at once. */
export const OPEN_PLANS_MAX = 50;
export const ITEMS_MAX = 100;
export const RANK_MAX = 1_000_000;
/** Traits that a plan names, values of each, and how long their texts are. */
export const TRAITS_MAX = 16;
export const TRAIT_VALUES_MAX = 32;
export const TRAIT_LENGTH_MAX = 128;

/** One process evaluates a plan, for so long at most; a pass ends before that. */
export const EVALUATION_LOCK_MS = 120_000;
export const PASS_MS = 100_000;
/** Intents that one pass makes at most: refused ones cost their owner's quota. */
export const PASS_ATTEMPTS_MAX = 40;
/** Intents for one token of a plan, of all passes together. */
export const TOKEN_ATTEMPTS_MAX = 8;

/** After a reveal its plans are evaluated for so long, this far apart. */
export const EVALUATED_FOR_MS = 30 * 60_000;
export const EVALUATED_EVERY_MS = 15_000;
/** Sooner where the provider had no room for it. */
export const LIMITED_AGAIN_MS = 5_000;

/** How often what is due is looked for. */
export const DUE_EVERY_MS = 2_000;
/** How often open plans are held against wallets and profiles, and their time. */
export const CHECK_EVERY_MS = 60_000;
/** Plans that one statement reads where all of them are gone through. */
export const PAGE_OF_PLANS = 500;

/** One intent, from planning to the wallet provider's answer. */
export const ADVANCE_TIMEOUT_MS = 60_000;
/** Fills that one process has on their way at once. */
export const FILLS_AT_ONCE = 4;
/** Fills of all processes in a minute: each asks for a listing and for its fulfilment. */
export const FILLS_PER_MINUTE_DEFAULT = 30;
export const FILLS_PER_MINUTE_MAX = 600;

/** Plans on a page. */
export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 200;

/** How often it is looked up which collections plans wait for. */
export const WATCHED_EVERY_MS = 5_000;
/** Collections with plans whose order books are kept current all the time. */
export const BOOKS_KEPT_MAX = 20;

/** How long the book of a reveal is kept, and how many listings a dry run names that it leaves. */
export const BOOKS_KEPT_MS = 30 * DAY_MS;
export const DRY_RUN_SKIPPED_MAX = 200;
export const PRUNE_BOOKS_EVERY_MS = 3_600_000;
