/** A billion ETH: more than exists. A larger amount without proof of its own chain is no price. */
export const WEI_PAID_MAX = 10n ** 27n;
