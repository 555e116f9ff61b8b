/** The most listings that a quote counts: as many as one purchase of several tokens may fill. */
export const QUOTE_LISTINGS_MAX = 50;

/** How long a quote waits for the chain's gas price. */
export const GAS_PRICE_TIMEOUT_MS = 2_000;

/**
 * Gas of filling one Seaport listing, and of each further one in the same transaction: the upper
 * end of what the sandbox's sales take (103,000 to 192,000; two 210,000 to 272,000).
 */
export const GAS_OF_A_FIRST_FILL = 190_000n;
export const GAS_OF_ANOTHER_FILL = 95_000n;
