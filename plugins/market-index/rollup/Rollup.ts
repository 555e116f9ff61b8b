/** One collection's trades in one bucket. Prices are wei for one unit. */
export type Rollup = {
	collectionId: number;
	bucketMs: number;
	sales: number;
	/** Sales whose price as an ETH equivalent is known. */
	priced: number;
	/** Units in the priced sales. */
	units: bigint;
	volume: bigint;
	mints: number;
	/** Null while no sale has a price. */
	prices: RollupPrices | null;
};

export type RollupPrices = {
	open: bigint;
	high: bigint;
	low: bigint;
	close: bigint;
	openPosition: bigint;
	closePosition: bigint;
};
