import type { ProviderHealth } from "#plugins/market-index/display/ProviderHealth.ts";

/**
 * A sync is at most ten minutes old where the provider can be reached; the rest is for the queue.
 */
const SYNC_RECENT_MS = 1_200_000;

/**
 * Returns the provider's state for one collection. A process that never calls it (role `api`)
 * judges by the collection's last sync. A collection that was never synced is not followed yet.
 */
export function displayProvider(
	{ isConnected, stream }: Pick<ProviderHealth, "isConnected" | "stream">,
	{ lastProviderAt, nowMs }: { lastProviderAt: Date | null; nowMs: number },
) {
	const isRecent = lastProviderAt !== null && nowMs - lastProviderAt.getTime() < SYNC_RECENT_MS;
	const isNew = stream === "live" && lastProviderAt === null;
	return {
		health: { providerConnected: isConnected ?? isRecent },
		provider_stream: isNew ? ("connecting" as const) : stream,
	};
}
