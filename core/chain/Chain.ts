import type { Address } from "#core/chain/Hex.ts";
import type { Currency } from "#core/money/Currency.ts";

/** What must be known of an EVM chain before it can be indexed. A plugin may contribute more. */
export type Chain = {
	/** Its name in routes and answers: lower case, without blanks. */
	readonly slug: string;
	readonly id: number;
	/** Its name for people. */
	readonly name: string;
	readonly nativeCurrency: Currency;
	/** One native coin is one ETH, so neither it nor its wrapped form needs a price feed for that. */
	readonly nativeIsEth: boolean;
	/** The token that is worth one native coin each; null where we are not certain which it is. */
	readonly wrappedNative: Address | null;
	/** How providers and people spell it otherwise; accepted wherever a chain is named. */
	readonly aliases: readonly string[];
	/** Usual time between two blocks, where that is several seconds. */
	readonly blockMs?: number;
	/** Used where the deployment configures none. `http(s)` before `ws(s)`. */
	readonly publicRpcUrls: readonly string[];
};
