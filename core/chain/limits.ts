/**
 * A chain has fewer than 2^33 blocks: at ten a second, the fastest that is indexed, it takes 27
 * years to get there. The index orders events by a number with 33 bits for the block.
 */
export const BLOCK_NUMBER_MAX = 2 ** 33 - 1;
/** The most seconds since 1970 that a Date can hold; a node's larger number is no time. */
export const SECONDS_MAX = 8_640_000_000_000;
/**
 * Positions of transactions and logs in their block are below 2^30: a block of a million million
 * gas cannot contain that many. The index uses higher positions for its own events.
 */
export const PLACE_MAX = 2 ** 30 - 1;
