import type { Address } from "#core/chain/Hex.ts";
import type { Priced, UsdRate } from "#plugins/prices/contract.ts";

/**
 * A source of rates. It is asked for a chain's coin by the zero address, never by its wrapped form.
 */
export type RateSource = {
	rateAt(priced: Priced, atMs: number): UsdRate | null;
	/** Returns USD for one ETH, by whichever chain's feed has it. */
	ethAt(atMs: number): UsdRate | null;
	has(priced: Priced): boolean;
	hasEth(): boolean;
	/** Returns the token that the configuration gave this symbol on a chain. */
	tokenOf(chainId: number, symbol: string): Address | null;
};
