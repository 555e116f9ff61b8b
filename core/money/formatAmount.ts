import type { Amount } from "#core/money/Amount.ts";
import { decimalString } from "#core/money/decimalString.ts";

/** The amount's exact decimal without its symbol; `parseAmount` reads it back to the same units. */
export function formatAmount({ units, currency }: Amount): string {
	return decimalString(units, currency.decimals);
}
