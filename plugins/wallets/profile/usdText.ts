import { formatAmount } from "#core/money/formatAmount.ts";
import { parseAmount } from "#core/money/parseAmount.ts";
import { USD_DECIMALS } from "#plugins/wallets/limits.ts";

const MICROS = 1_000_000;

/** The most that a deployment lets anybody set for themselves, in microdollars. */
export type UserLimits = {
	perTradeUsdMicros: bigint;
	walletNotionalUsdMicros: bigint;
	dailyUsdMicros: bigint;
};

const USD = { symbol: "USD", decimals: USD_DECIMALS };

/** Dollars in answers and bodies: exact decimal text of microdollars. */
export const usdText = {
	of: (micros: bigint): string => formatAmount({ units: micros, currency: USD }),
	/** Throws `amount_invalid` for what is no plain decimal number of at most six decimals. */
	read: (text: string): bigint => parseAmount(text, USD).units,
};

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
