import type { StoredEvent } from "#plugins/market-index/event/StoredEvent.ts";

/** The collections whose figures of sales and of mints these events have a part in. */
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
