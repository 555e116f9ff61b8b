import type { Address } from "#core/chain/Hex.ts";
import type { Hop } from "#plugins/trading/quotes/QuoteSource.ts";

/** What a swap's calldata says, whoever encoded it. */
export type SwapTerms = {
	/** Its way; the tokens are in it. */
	hops: readonly Hop[];
	exact: "in" | "out";
	/** The exact amount: spent for `in`, received for `out`. */
	amountRaw: bigint;
	/** The least that is received for `in`, the most that is spent for `out`. */
	limitRaw: bigint;
	isNativeIn: boolean;
	isNativeOut: boolean;
	/** Who gets what is bought, and what is left of coins that were sent along. */
	recipient: Address;
	/** In seconds, as the chain counts them. */
	deadlineS: bigint;
};
