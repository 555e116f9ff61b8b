import type { Chain } from "#core/chain/Chain.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { Provider } from "#plugins/provider/contract.ts";

/** What reading the provider's lists needs. */
export type DiscoveryContext = {
	core: Pick<Core, "db" | "clock" | "log" | "queue" | "outbox" | "chains">;
	/** The chains that routes serve: listed collections on them are registered. */
	answered: readonly Chain[];
	provider: Provider;
	prices: Prices;
	/**
	 * Queues syncs of collections that lists or a search showed: each at most once in five minutes.
	 */
	discovered: (collectionIds: readonly number[]) => Promise<void>;
};
