import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { MarketIndex } from "#plugins/market-index/contract.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";

/** What the market's routes are made of. */
export type RouteContext = {
	core: IndexReads;
	scanner: Pick<Scanner, "progress">;
	index: Pick<MarketIndex, "find">;
};
