import type { Address } from "#core/chain/Hex.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { sleep } from "#core/time/sleep.ts";
import type { LoneFailures } from "#plugins/market-index/pace/createLoneFailures.ts";
import type { SyncPause } from "#plugins/market-index/pace/createPause.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { Provider, ProviderEvent } from "#plugins/provider/contract.ts";

/** A collection with its chain and contract. */
export type SyncedCollection = { id: number; chainId: number; address: Address };

/** Stores a provider's events; events that are stored already change nothing. */
export type MergeEvents = (
	collection: SyncedCollection,
	events: readonly ProviderEvent[],
) => Promise<void>;

/** What syncs need. */
export type SyncContext = {
	core: Pick<Core, "db" | "clock" | "log" | "queue" | "outbox" | "chains" | "indexed">;
	provider: Provider;
	prices: Prices;
	merge: MergeEvents;
	pause: SyncPause;
	loneFailures: LoneFailures;
	/**
	 * Returns until when the lanes of a chain have every sale and mint; null while they are behind.
	 */
	heldUntil(chainId: number): Promise<Date | null>;
	/** Waits out a limit in the middle of a list. */
	wait: typeof sleep;
};
