/** The most matches of a query that are read and sorted; with more, its words are common ones. */
export const MATCHES_SORTED_MAX = 1_000;
/** Words of so many letters count as common until shown otherwise. */
export const LETTERS_MAX = 2;
/**
 * Collections that one statement reads, the most traded first. For one or two letters these are
 * all.
 */
export const LOOKED_AT_STEP = 2_000;
/**
 * Collections that are read for one page of common words; a page that is not full by then is short.
 */
export const LOOKED_AT_MAX = 20_000;
/** How long a process remembers that words are common, and how many of them. */
export const COMMON_KEPT_MS = 60_000;
export const COMMON_KEPT_MAX = 1_000;

/** How long a hit's figures, and a page of common words, are valid. */
export const HIT_KEPT_MS = 1_000;
/** How many collections' figures a process keeps. */
export const HITS_KEPT_MAX = 5_000;
