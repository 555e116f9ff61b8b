import type { Address } from "#core/chain/Hex.ts";

/** What is known of a price; the two kinds without an amount say why there is none. */
export type Price =
	| { kind: "amount"; currency: Address; total: bigint }
	| { kind: "severalCurrencies" }
	| { kind: "barter" };
