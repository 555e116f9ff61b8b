import type { Chain } from "#core/chain/Chain.ts";
import { moneyFault } from "#core/money/faults.ts";
import { parseAmount } from "#core/money/parseAmount.ts";

/** A price in base units of the chain's coin, exactly. Nothing is no price. */
export function priceRaw(text: string, { nativeCurrency }: Chain): bigint {
	const { units } = parseAmount(text, nativeCurrency);
	if (units === 0n) throw moneyFault.amountInvalid({ public: "The price must be more than zero." });
	return units;
}
