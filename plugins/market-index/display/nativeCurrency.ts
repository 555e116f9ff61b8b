/** The currency of summed amounts, beside their exact integers: ETH, in wei. */
export const nativeCurrency = { symbol: "ETH", decimals: 18 } as const;
