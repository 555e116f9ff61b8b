import { decimalString } from "#core/money/decimalString.ts";

/**
 * The JSON number nearest to the exact amount. For figures that people look at; money that moves
 * stays in units.
 *
 * `Number(units) / 10 ** decimals` rounds twice and is off by one step for a quarter of the amounts
 * with more than 16 digits (measured); reading the exact decimal rounds once.
 */
export function toDisplayNumber(units: bigint, decimals: number): number {
	return Number(decimalString(units, decimals));
}
