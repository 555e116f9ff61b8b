import type { Chain } from "#core/chain/Chain.ts";
import { moneyFault } from "#core/money/faults.ts";
import { parseAmount } from "#core/money/parseAmount.ts";

/** Returns a price in base units of the chain's coin, exactly. Throws `amount_invalid` for zero. */
export function priceRaw(text: string, { nativeCurrency }: Chain): bigint {
	const { units } = parseAmount(text, nativeCurrency);
	if (units === 0n) throw moneyFault.amountInvalid({ public: "The price must be more than zero." });
	return units;
}
