import type { Rates } from "#test/e2e/oracle/expected/createRates.ts";
import type { Fact, UnpricedFact } from "#test/e2e/oracle/Known.ts";

/** Values an event by the rates of its own time. */
export function priced(fact: UnpricedFact, rates: Rates): Fact {
	const { total, currency, atMs } = fact;
	const worth = total === null || currency === null ? null : rates.weiOf(currency, total, atMs);
	return { ...fact, worth, etherDollars: rates.dollarsAt(atMs) };
}

/** Returns an event's value in wei for all its units; null where its currency had no rate. */
export const worthOf = ({ worth }: Fact): bigint | null => worth;

/** Returns the value of one unit in wei. */
export function unitWorthOf(fact: Fact): bigint | null {
	const worth = worthOf(fact);
	return worth === null ? null : worth / fact.quantity;
}

/** Returns the value of one unit in dollars at its time. */
export function dollarsOf(fact: Fact): number | null {
	const unit = unitWorthOf(fact);
	return inDollars(unit === null ? null : ether(unit), fact.etherDollars);
}

/** Returns ether in dollars; null if either is not known. */
export function inDollars(value: number | null, etherDollars: number | null): number | null {
	return value === null || etherDollars === null ? null : value * etherDollars;
}

export const ether = (wei: bigint): number => Number(wei) / 1e18;
