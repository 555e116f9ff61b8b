import type { Address } from "#core/chain/Hex.ts";
import type { Priced } from "#plugins/prices/contract.ts";

/** One price, and the on-chain aggregator that has it. */
export type Feed = {
	/** The zero address for a chain's coin; never its wrapped form. */
	priced: Priced;
	/** True: prices ETH, on whatever chain: the unit of all other prices. */
	isEth: boolean;
	/** The chain of the aggregator. */
	feedChainId: number;
	address: Address;
	heartbeatMs: number;
	/** Decimals of the priced currency; null until its contract was asked. */
	currencyDecimals: number | null;
	/** In upper case; null where only the address is configured. */
	symbol: string | null;
};

/** Returns the key of an aggregator; one aggregator may price several currencies. */
export function feedKey(feed: Pick<Feed, "feedChainId" | "address">): string {
	return `${feed.feedChainId}:${feed.address}`;
}
