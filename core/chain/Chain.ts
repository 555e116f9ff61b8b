import type { Address } from "#core/chain/Hex.ts";
import type { Currency } from "#core/money/Currency.ts";

/** The facts about an EVM chain that indexing needs. A plugin may contribute more chains. */
export type Chain = {
	/** Its name in routes and answers: lower case, without blanks. */
	readonly slug: string;
	readonly id: number;
	/** Its name for people. */
	readonly name: string;
	readonly nativeCurrency: Currency;
	/** True: one native coin is one ETH, so neither it nor its wrapped form needs a price feed. */
	readonly nativeIsEth: boolean;
	/** The token that wraps the native coin one to one; null if we are not certain which it is. */
	readonly wrappedNative: Address | null;
	/** Other spellings by providers and people; accepted wherever a chain is named. */
	readonly aliases: readonly string[];
	/** The usual time between two blocks, if it is several seconds. */
	readonly blockMs?: number;
	/** Used if the deployment configures none. `http(s)` before `ws(s)`. */
	readonly publicRpcUrls: readonly string[];
};
