/** What an amount is counted in. Two currencies with the same symbol may differ by contract. */
export type Currency = {
	readonly symbol: string;
	/** How many digits one whole coin has behind the point in base units: 18 for ETH, 6 for USDC. */
	readonly decimals: number;
};
