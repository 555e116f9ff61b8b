/** One more than the greatest uint256: what a chain cannot hold is not an amount. */
export const UNITS_BOUND = 2n ** 256n;

/** ERC-20 `decimals()` is a uint8, but a uint256 has 78 digits: beyond 77 not even 1 fits. */
export const DECIMALS_MAX = 77;
