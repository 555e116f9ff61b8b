import type { nativeCurrency } from "#plugins/market-index/display/nativeCurrency.ts";

/** One interval of a collection's accepted sales. Prices are ETH equivalents for one unit. */
export type Candle = {
	openTime: string;
	open: number;
	high: number;
	low: number;
	close: number;
	volumeNative: number;
	/** The exact volume, in wei. */
	volumeRaw: string;
	volumeCurrency: typeof nativeCurrency;
	sales: number;
};
