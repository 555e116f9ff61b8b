import type { NewJob } from "#core/queue/JobQueue.ts";
import type { Applying } from "#plugins/market-index/apply/Applying.ts";
import type { EventRow } from "#plugins/market-index/apply/EventRow.ts";
import {
	collectionJobs,
	currencyJobs,
	supplyJobs,
} from "#plugins/market-index/jobs/metadataJobs.ts";
import type { KnownCollection } from "#plugins/market-index/sql/KnownCollection.ts";

/** Jobs for what a batch's contracts say of themselves, where that is missing or may change. */
export async function metadataWanted(
	{ tx, chain, batch }: Omit<Applying, "confirmer">,
	known: Iterable<KnownCollection>,
	stored: readonly EventRow[],
): Promise<NewJob[]> {
	const fresh = [...known].filter((collection) => collection.isNew);
	const minted = new Set<number>();
	if (batch.live)
		for (const { kind, collectionId } of stored) if (kind === "mint") minted.add(collectionId);
	for (const { id } of fresh) minted.delete(id);
	return [
		...collectionJobs(fresh),
		...supplyJobs(minted),
		...(await currencyJobs(tx, chain, stored)),
	];
}
