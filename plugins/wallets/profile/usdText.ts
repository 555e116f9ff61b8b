import { formatAmount } from "#core/money/formatAmount.ts";
import { parseAmount } from "#core/money/parseAmount.ts";
import { USD_DECIMALS } from "#plugins/wallets/limits.ts";

const USD = { symbol: "USD", decimals: USD_DECIMALS };

/** Dollars in answers and bodies: exact decimal text of microdollars. */
export const usdText = {
	of: (micros: bigint): string => formatAmount({ units: micros, currency: USD }),
	/** Throws `amount_invalid` for what is no plain decimal number of at most six decimals. */
	read: (text: string): bigint => parseAmount(text, USD).units,
};
