import type { StoredEvent } from "#plugins/market-index/event/StoredEvent.ts";

/** Returns the collections whose sales or mints include these events. */
export function countedIn(
	events: Iterable<Pick<StoredEvent, "kind" | "accepted"> & { collectionId: number }>,
): { sold: Set<number>; minted: Set<number> } {
	const sold = new Set<number>();
	const minted = new Set<number>();
	for (const { accepted, kind, collectionId } of events) {
		if (accepted && kind === "mint") minted.add(collectionId);
		if (accepted && kind === "sale") sold.add(collectionId);
	}
	return { sold, minted };
}
