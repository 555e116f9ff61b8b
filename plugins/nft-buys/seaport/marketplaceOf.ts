import type { Address } from "#core/chain/Hex.ts";

/** Seaport 1.6 on every chain but those below; the sandbox has it there too. */
const SEAPORT: Address = "0x0000000000000068f116a894984e2db1123eb395";
/** Its alternate, on chains where the canonical one could not be deployed. */
const SEAPORT_ALTERNATE: Address = "0x00000000006687982678b03100b9bdc8be440814";
/** megaeth, somnia, gunzilla. */
const ALTERNATE_CHAINS = new Set([4_326, 5_031, 43_419]);

/**
 * The one marketplace contract that is called on a chain. One and not a list: a call with money to
 * an address without code succeeds, and the money is gone.
 */
export function marketplaceOf(chainId: number): Address {
	return ALTERNATE_CHAINS.has(chainId) ? SEAPORT_ALTERNATE : SEAPORT;
}
