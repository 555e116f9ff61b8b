import { assert } from "#core/fault/assert.ts";

/** The exact decimal of base units, without trailing zeros and never with an exponent. */
export function decimalString(units: bigint, decimals: number): string {
	assert(Number.isInteger(decimals) && decimals >= 0, `no currency has ${decimals} decimals`);
	const sign = units < 0n ? "-" : "";
	const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0");
	const whole = digits.slice(0, digits.length - decimals);
	const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
	return sign + (fraction ? `${whole}.${fraction}` : whole);
}
