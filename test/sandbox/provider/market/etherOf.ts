import type { Currency } from "./Market.ts";

/** Returns an amount in ether, as a double; 0 without a rate. */
export function etherOf(raw: bigint, currency: Currency): number {
	return unitsOf(raw, currency) * currency.etherPerUnit;
}

/** Returns an amount in whole units of its currency, as the provider's figures are. */
export function unitsOf(raw: bigint, { decimals }: Currency): number {
	return Number(raw) / 10 ** decimals;
}
