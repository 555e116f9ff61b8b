/** Matches of a query that are read and sorted; where there are more, its words are common ones. */
export const MATCHES_SORTED_MAX = 1_000;
/** Words of so many letters are taken for common ones until shown otherwise. */
export const LETTERS_MAX = 2;
/**
 * Collections that one statement looks at, the most traded first. Of one or two letters these are
 * all.
 */
export const LOOKED_AT_STEP = 2_000;
/**
 * Collections that are looked at for one page of common words; a page that is not full by then is
 * short.
 */
export const LOOKED_AT_MAX = 20_000;
/** How long a process remembers that words are common, and of how many. */
export const COMMON_KEPT_MS = 60_000;
export const COMMON_KEPT_MAX = 1_000;

/** How long a hit's figures stand, and a page of common words. */
export const HIT_KEPT_MS = 1_000;
/** How many collections' figures a process keeps. */
export const HITS_KEPT_MAX = 5_000;
