import { mulDiv } from "#core/money/mulDiv.ts";
import type { Rounding } from "#core/money/Rounding.ts";

const BPS_PER_WHOLE = 10_000n;

/**
 * A share of `units` in basis points (1 % is 100).
 *
 * @example const fee = mulBps(price, 250n, "up"); // the venue never receives less than it asked
 * for
 */
export function mulBps(units: bigint, bps: bigint, rounding: Rounding): bigint {
	return mulDiv(units, bps, BPS_PER_WHOLE, rounding);
}
