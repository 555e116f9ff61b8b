import type { ChainEvent } from "#plugins/chain-scanner/contract.ts";
import type { MarketEvent } from "#plugins/market-index/event/MarketEvent.ts";

/** An event as it is stored, wherever it was read from. */
export type StoredEvent = Omit<ChainEvent, "kind" | "standard" | "reason"> & {
	kind: MarketEvent["eventType"];
	/** Why it is not accepted; null when it is. */
	reason: string | null;
	onchainVerified: boolean;
	/** `totalRaw` as an ETH equivalent in wei; null while no rate is known. */
	totalNative: bigint | null;
	payload: Readonly<Record<string, unknown>> | null;
};
