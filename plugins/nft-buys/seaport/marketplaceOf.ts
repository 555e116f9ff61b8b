import type { Address } from "#core/chain/Hex.ts";

/** Seaport 1.6 on every chain except those below, and in the sandbox. */
const SEAPORT: Address = "0x0000000000000068f116a894984e2db1123eb395";
/** Its alternative address, on chains where the canonical one could not be deployed. */
const SEAPORT_ALTERNATE: Address = "0x00000000006687982678b03100b9bdc8be440814";
/** The chains megaeth, somnia, gunzilla. */
const ALTERNATE_CHAINS = new Set([4_326, 5_031, 43_419]);

/**
 * Returns the one marketplace contract that is called on a chain. One, not a list: a call with
 * money to an address without code succeeds, and the money is lost.
 */
export function marketplaceOf(chainId: number): Address {
	return ALTERNATE_CHAINS.has(chainId) ? SEAPORT_ALTERNATE : SEAPORT;
}
