import type { UserLimits } from "#plugins/wallets/profile/UserLimits.ts";

const MICROS = 1_000_000;

/** The deployment's limits in microdollars, rounded down: never more than was configured. */
export function usdMax(config: {
	TRADING_PER_TRADE_USD_MAX: number;
	TRADING_WALLET_NOTIONAL_USD_MAX: number;
	TRADING_DAILY_USD_MAX: number;
}): UserLimits {
	const micros = (usd: number) => BigInt(Math.floor(usd * MICROS));
	return {
		perTradeUsdMicros: micros(config.TRADING_PER_TRADE_USD_MAX),
		walletNotionalUsdMicros: micros(config.TRADING_WALLET_NOTIONAL_USD_MAX),
		dailyUsdMicros: micros(config.TRADING_DAILY_USD_MAX),
	};
}
