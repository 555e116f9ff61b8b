/** The most that a deployment lets anybody set for themselves, in microdollars. */
export type UserLimits = {
	perTradeUsdMicros: bigint;
	walletNotionalUsdMicros: bigint;
	dailyUsdMicros: bigint;
};
