import type { Address } from "#core/chain/Hex.ts";

/** An aggregator, by chain and address. */
export type FeedRef = { feedChainId: number; address: Address };
