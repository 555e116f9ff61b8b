import { assert } from "#core/fault/assert.ts";
import type { Rounding } from "#core/money/Rounding.ts";

/**
 * `a × b ÷ divisor`, exact up to the last unit, which goes where `rounding` says.
 *
 * @example mulDiv(priceUnits, quantity, 1n, "down")
 */
export function mulDiv(a: bigint, b: bigint, divisor: bigint, rounding: Rounding): bigint {
	// BigInt division truncates toward zero, so "down" would round a debt up: money here is
	// never negative.
	assert(a >= 0n && b >= 0n, "mulDiv takes no negative money");
	assert(divisor > 0n, "mulDiv divides by something");
	const product = a * b;
	const quotient = product / divisor;
	return rounding === "up" && quotient * divisor < product ? quotient + 1n : quotient;
}
