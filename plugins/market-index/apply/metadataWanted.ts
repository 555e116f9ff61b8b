import type { NewJob } from "#core/queue/JobQueue.ts";
import type { Applying } from "#plugins/market-index/apply/Applying.ts";
import type { EventRow } from "#plugins/market-index/event/EventRow.ts";
import type { KnownCollection } from "#plugins/market-index/event/KnownCollection.ts";
import { currencyJobs, supplyJobs } from "#plugins/market-index/metadata/metadataJobs.ts";

/**
 * Returns the jobs that read names and supplies of a batch's contracts, where those may have
 * changed, and symbols of coins. New collections get theirs when they are registered.
 */
export async function metadataWanted(
	{ tx, chain, batch }: Omit<Applying, "confirmer">,
	known: Iterable<KnownCollection>,
	stored: readonly EventRow[],
): Promise<NewJob[]> {
	const minted = new Set<number>();
	if (batch.live)
		for (const { kind, collectionId } of stored) if (kind === "mint") minted.add(collectionId);
	for (const { id, isNew } of known) if (isNew) minted.delete(id);
	return [...supplyJobs(minted), ...(await currencyJobs(tx, chain, stored))];
}
