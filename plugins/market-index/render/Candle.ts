/** One interval of a collection's accepted sales. Prices are ETH equivalents for one unit. */
export type Candle = {
	openTime: string;
	open: number;
	high: number;
	low: number;
	close: number;
	volumeNative: number;
	sales: number;
};
