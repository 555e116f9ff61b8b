import { formatAmount } from "#core/money/formatAmount.ts";
import { parseAmount } from "#core/money/parseAmount.ts";
import type { SpendLimits } from "#plugins/wallets/contract.ts";
import { USD_DECIMALS } from "#plugins/wallets/limits.ts";

/** The most that a deployment lets anybody set for themselves, in microdollars. */
export type UserLimits = Omit<SpendLimits, "recipientCooldownMs">;

const USD = { symbol: "USD", decimals: USD_DECIMALS };

/** Writes and reads dollars of answers and bodies: exact decimal text of microdollars. */
export const usdText = {
	of: (micros: bigint): string => formatAmount({ units: micros, currency: USD }),
	/** Throws `amount_invalid` for what is no plain decimal number of at most six decimals. */
	read: (text: string): bigint => parseAmount(text, USD).units,
};
