import type { Address } from "#core/chain/Hex.ts";

/** An aggregator, by where it stands. */
export type FeedRef = { feedChainId: number; address: Address };
