/**
 * A chain has fewer than 2^33 blocks: at ten a second, the fastest that is indexed, it takes 27
 * years to come there. The index orders events by a number that has 33 bits for the block.
 */
export const BLOCK_NUMBER_MAX = 2 ** 33 - 1;
/** Seconds since 1970 that a Date can hold: what a node sends beyond it is no time. */
export const SECONDS_MAX = 8_640_000_000_000;
/**
 * Places of transactions and logs in their block stay below 2^30: a block of a million million gas
 * cannot write so many. The index uses places from there on for events of its own.
 */
export const PLACE_MAX = 2 ** 30 - 1;
