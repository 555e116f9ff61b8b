import type { Address } from "#core/chain/Hex.ts";
import type { Priced } from "#plugins/prices/contract.ts";

/** One thing's price, and the aggregator on chain that tells it. */
export type Feed = {
	/** The zero address for a chain's coin; never its wrapped form. */
	priced: Priced;
	/** ETH by whatever chain's name: the measure of all other prices. */
	isEth: boolean;
	/** The chain on which the aggregator stands. */
	feedChainId: number;
	address: Address;
	heartbeatMs: number;
	/** Of the priced currency; null until its contract was asked. */
	currencyDecimals: number | null;
	/** Upper case; null where only the address names it. */
	symbol: string | null;
};

/** Names an aggregator; several things may be priced by one. */
export function feedKey(feed: Pick<Feed, "feedChainId" | "address">): string {
	return `${feed.feedChainId}:${feed.address}`;
}
