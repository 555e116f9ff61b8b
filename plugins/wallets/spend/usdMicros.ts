import { mulDiv } from "#core/money/mulDiv.ts";
import type { UsdRate } from "#plugins/prices/contract.ts";

/**
 * Base units in millionths of a dollar. Rounded up: a limit is never passed by a rounding. Null
 * where no feed knows the currency, and where it answers nothing that could be a price.
 */
export function usdMicros(raw: bigint, rate: UsdRate | null): bigint | null {
	if (!rate || rate.answer <= 0n) return null;
	const unit = 10n ** BigInt(rate.decimals + rate.currencyDecimals);
	return mulDiv(raw, rate.answer * 1_000_000n, unit, "up");
}
