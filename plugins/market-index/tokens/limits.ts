/** Tokens that are known of one collection; further ones are not read. */
export const TOKENS_MAX = 50_000;

/** Tokens whose URIs are asked for at once, and whose metadata is written at once. */
export const PART_TOKENS_MAX = 200;

/** The URIs of the next part are asked for while so many of the last are still to be read. */
export const AHEAD_TOKENS = PART_TOKENS_MAX / 2;

/** Documents that are on their way at the same time. */
export const READS_IN_FLIGHT_MAX = 24;

/** A run of one collection begins nothing new after this, and goes on behind the others. */
export const PART_MS = 30_000;

/** What is under way then still may take its own time. */
export const PART_TIMEOUT_MS = 90_000;

/** So many documents in a row that nobody served: the server is down, and the rest waits. */
export const UNREACHABLE_MAX = 64;
export const UNREACHABLE_AGAIN_MS = 300_000;

/** Between two attempts at one token: doubled each time; given up after so many. */
export const BACKOFF_FIRST_MS = 60_000;
export const BACKOFF_MAX_MS = 21_600_000;
export const FAILURES_MAX = 8;

/** Mints come in bursts: their tokens are looked for once, this long after the first. */
export const LEARN_DELAY_MS = 20_000;

/** Where a walk over a contract's history is under way, there will be more tokens. */
export const WALKING_AGAIN_MS = 600_000;

/** How often tokens whose time has come are looked for, and of how many collections. */
export const DUE_EVERY_MS = 60_000;
export const DUE_ROWS_MAX = 20_000;

/** Trait counts and ranks are made anew this often at most, unless somebody insists. */
export const TRAITS_EVERY_MS = 900_000;

/** Order books change all the time: floors of traits follow them after so long. */
export const FLOORS_DELAY_MS = 30_000;

/** Values of traits counted in one collection, and characters of a name or a value. */
export const TRAIT_VALUES_MAX = 20_000;
export const TRAIT_TEXT_MAX = 128;
export const TOKEN_TRAITS_MAX = 100;

/** Pages of the provider's tokens read in one run; the next run goes on. */
export const PROVIDER_PAGES_MAX = 5;
export const PROVIDER_PAGE = 200;
/** A collection's tokens are asked for this often at most; so few are asked for one by one. */
export const PROVIDER_EVERY_MS = 3_600_000;
export const PROVIDER_SINGLE_MAX = 10;

/** How much of the supply has to be known, in percent, before ranks mean something. */
export const COVERED_SHARE_PERCENT = 95;

/** Characters kept of a token's texts. */
export const DESCRIPTION_LENGTH_MAX = 4_096;
export const URI_LENGTH_MAX = 4_096;

/** How many tokens may be read, and counted, at the same time in one process. */
export const TOKENS_CONCURRENCY = 2;

/** After word that a token changed: many such words come together. */
export const REREAD_DELAY_MS = 2_000;

/** While all tokens of a collection are read again, counting looks again after this. */
export const REREAD_WAIT_MS = 60_000;
/** A reading that began so long ago was given up by whoever began it, and holds nothing up. */
export const REREAD_LIFE_MS = 2 * 3_600_000;
