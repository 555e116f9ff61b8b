import type { Chain } from "#core/chain/Chain.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import type { ListSource } from "#plugins/market-index/discovery/createListSource.ts";
import type { ProviderHealth } from "#plugins/market-index/display/ProviderHealth.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** What the market's routes are made of. */
export type RouteContext = {
	core: IndexReads;
	scanner: Pick<Scanner, "progress">;
	index: Pick<MarketIndex, "find" | "touch">;
	/** How it stands with the provider in this moment. */
	providerHealth: () => ProviderHealth;
	/** Puts a repair of a collection in line; answers where its sync stands. */
	resync: (collectionId: number) => Promise<string | null>;
	prices: Prices;
	/** The provider's side of the collections list. */
	lists: ListSource;
	/** What a unit of gas costs now, in wei of the chain's coin; null where it does not say. */
	gasPrice: (chain: Chain) => Promise<bigint | null>;
};
