/** A billion ETH: more than there is. An amount above it that nobody's chain proves is no price. */
export const WEI_PAID_MAX = 10n ** 27n;
