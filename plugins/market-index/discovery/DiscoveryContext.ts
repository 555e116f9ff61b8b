import type { Chain } from "#core/chain/Chain.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { Provider } from "#plugins/provider/contract.ts";

/** What reading the provider's lists is made of. */
export type DiscoveryContext = {
	core: Pick<Core, "db" | "clock" | "log" | "queue" | "outbox" | "chains">;
	/**
	 * The chains that routes serve: collections that the provider lists on them are registered.
	 */
	answered: readonly Chain[];
	provider: Provider;
	prices: Prices;
	/** Lists or a search showed these: each is synced at most once in five minutes. */
	discovered: (collectionIds: readonly number[]) => Promise<void>;
};
