// Parses, multiplies, splits and shows exact amounts of money.

import { assert, defineFaults } from "#core/fault.ts";

/** Money: a whole number of base units and what they are units of. */
export type Amount = {
	readonly units: bigint;
	readonly currency: Currency;
};

/**
 * Names what an amount is counted in. Two currencies with the same symbol may differ by contract.
 */
export type Currency = {
	readonly symbol: string;
	/**
	 * The number of digits of one whole coin behind the point in base units: 18 for ETH, 6 for USDC.
	 */
	readonly decimals: number;
};

/**
 * Says how a division with a remainder is rounded. It is named at every call, because one side
 * always loses the last unit and the reader must see which. There is no "nearest".
 */
export type Rounding = "up" | "down";

export const moneyFault = defineFaults({
	amountInvalid: {
		status: 422,
		retry: "never",
		public: "The amount is not a decimal number that its currency can hold.",
		advice: "Send plain decimal digits, with no more decimal places than the currency has.",
	},
});

/** Bounds amounts: one more than the greatest uint256, which a chain cannot hold. */
export const UNITS_BOUND = 2n ** 256n;

/** Limits decimals: a uint256 has 78 digits, so that with more than 77 decimals not even 1 fits. */
export const DECIMALS_MAX = 77;

/** How JSON writes small and large numbers: JavaScript writes a ten-millionth as `1e-7`. */
const EXPONENT = /^-?[0-9.]+e[+-]?[0-9]+$/i;
const EXPONENT_REFUSED = "has an exponent (write 0.0000001 in place of 1e-7, as text)";

const DECIMAL = /^(0|[1-9][0-9]{0,77})(?:\.([0-9]{1,77}))?$/;

/**
 * Writes an amount as its exact decimal, without symbol; `parseAmount` reads the same units back.
 */
export function formatAmount({ units, currency }: Amount): string {
	return decimalString(units, currency.decimals);
}

/**
 * Returns `a × b ÷ divisor`, exact up to the last unit, which goes where `rounding` says.
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

/**
 * Reads a decimal string as an exact amount.
 *
 * Digits the currency cannot hold are refused, not rounded: a rounded bid is a price nobody
 * typed. So are signs, exponents, hex, spaces, leading zeros and everything from 2^256 up;
 * viem's `parseUnits` accepts most of these (12 of 75 traps that we tried).
 *
 * @example parseAmount("0.05", { symbol: "ETH", decimals: 18 }).units // 50000000000000000n
 */
export function parseAmount(text: string, currency: Currency): Amount {
	const { decimals } = currency;
	assert(
		Number.isInteger(decimals) && decimals >= 0 && decimals <= DECIMALS_MAX,
		`no currency has ${decimals} decimals`,
	);
	// A JSON number has already lost its digits when it gets here; only its text is exact.
	if (typeof text !== "string") throw refused("is not a text", currency);
	const match = DECIMAL.exec(text);
	if (!match) {
		const isExponent = EXPONENT.test(text);
		throw refused(isExponent ? EXPONENT_REFUSED : "is not a plain decimal number", currency);
	}
	const [, whole = "", fraction = ""] = match;
	if (fraction.length > decimals) {
		throw refused(`has ${fraction.length} digits after the point`, currency);
	}
	const units = BigInt(whole + fraction.padEnd(decimals, "0"));
	if (units >= UNITS_BOUND) throw refused("is more than a chain can hold", currency);
	return { units, currency };
}

/**
 * Splits a total over rows by their units; what does not divide goes to the first row. The rows of
 * a bundle always sum to what was paid for it, so that it adds its exact price to the volume.
 */
export function splitByUnit(total: bigint, quantities: readonly bigint[]): bigint[] {
	const units = quantities.reduce((sum, quantity) => sum + quantity, 0n);
	if (units === 0n) return quantities.map(() => 0n);
	const unitPrice = total / units;
	const remainder = total - unitPrice * units;
	return quantities.map((quantity, index) =>
		index === 0 ? unitPrice * quantity + remainder : unitPrice * quantity,
	);
}

/**
 * Returns the JSON number nearest to the exact amount. For figures that people look at; money that
 * moves stays in units.
 *
 * `Number(units) / 10 ** decimals` rounds twice and is off by one step for a quarter of the amounts
 * with more than 16 digits (measured); reading the exact decimal rounds once.
 */
export function toDisplayNumber(units: bigint, decimals: number): number {
	return Number(decimalString(units, decimals));
}

/** Returns the exact decimal of base units, without trailing zeros and never with an exponent. */
export function decimalString(units: bigint, decimals: number): string {
	assert(Number.isInteger(decimals) && decimals >= 0, `no currency has ${decimals} decimals`);
	const sign = units < 0n ? "-" : "";
	const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0");
	const whole = digits.slice(0, digits.length - decimals);
	const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
	return sign + (fraction ? `${whole}.${fraction}` : whole);
}

function refused(why: string, { symbol, decimals }: Currency) {
	return moneyFault.amountInvalid({
		public: `The amount ${why}; ${symbol} takes digits with at most ${decimals} decimals.`,
	});
}
