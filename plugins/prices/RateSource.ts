import type { Address } from "#core/chain/Hex.ts";
import type { Priced, UsdRate } from "#plugins/prices/contract.ts";

/** Where rates come from. It is asked for a chain's coin by the zero address, never by its wrap. */
export type RateSource = {
	rateAt(priced: Priced, atMs: number): UsdRate | null;
	/** USD for one ETH, whichever chain's feed says so. */
	ethAt(atMs: number): UsdRate | null;
	has(priced: Priced): boolean;
	hasEth(): boolean;
	/** The token that configuration gave this symbol on a chain. */
	tokenOf(chainId: number, symbol: string): Address | null;
};
