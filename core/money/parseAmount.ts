import { assert } from "#core/fault/assert.ts";
import type { Amount } from "#core/money/Amount.ts";
import type { Currency } from "#core/money/Currency.ts";
import { moneyFault } from "#core/money/faults.ts";
import { DECIMALS_MAX, UNITS_BOUND } from "#core/money/limits.ts";

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
	if (!match) throw refused("is not a plain decimal number", currency);
	const [, whole = "", fraction = ""] = match;
	if (fraction.length > decimals) {
		throw refused(`has ${fraction.length} digits after the point`, currency);
	}
	const units = BigInt(whole + fraction.padEnd(decimals, "0"));
	if (units >= UNITS_BOUND) throw refused("is more than a chain can hold", currency);
	return { units, currency };
}

const DECIMAL = /^(0|[1-9][0-9]{0,77})(?:\.([0-9]{1,77}))?$/;

function refused(why: string, { symbol, decimals }: Currency) {
	return moneyFault.amountInvalid({
		public: `The amount ${why}; ${symbol} takes digits with at most ${decimals} decimals.`,
	});
}
