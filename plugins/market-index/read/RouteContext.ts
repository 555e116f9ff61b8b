import type { Chain } from "#core/chain/Chain.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import type { ListSource } from "#plugins/market-index/discovery/createListSource.ts";
import type { ProviderHealth } from "#plugins/market-index/display/ProviderHealth.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** What the market's routes need. */
export type RouteContext = {
	core: IndexReads;
	scanner: Pick<Scanner, "progress">;
	index: Pick<MarketIndex, "find" | "touch">;
	/** Returns the provider's present state. */
	providerHealth: () => ProviderHealth;
	/** Queues a repair of a collection; returns the status of its sync. */
	resync: (collectionId: number) => Promise<string | null>;
	prices: Prices;
	/** The provider's part of the collections list. */
	lists: ListSource;
	/**
	 * Returns the present gas price, in wei of the chain's coin; null where the chain does not
	 * answer.
	 */
	gasPrice: (chain: Chain) => Promise<bigint | null>;
};
