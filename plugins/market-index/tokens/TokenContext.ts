import type { Core } from "#core/plugin/Core.ts";
import type { ReadUri } from "#plugins/market-index/tokens/ReadUri.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { Provider } from "#plugins/provider/contract.ts";

/** What the work on tokens needs. */
export type TokenContext = {
	core: Pick<Core, "db" | "indexed" | "queue" | "clock" | "log" | "metrics">;
	readUri: ReadUri;
	provider: Pick<Provider, "id" | "isOn" | "nft" | "nfts" | "traits" | "traitFloors">;
	prices: Pick<Prices, "nativeOfSymbol">;
};
