import type { Address } from "#core/chain/Hex.ts";
import type { KnownCollection } from "#plugins/market-index/event/KnownCollection.ts";
import type { AppliedChange } from "#plugins/market-index/frames/AppliedChange.ts";
import { collectionChanges } from "#plugins/market-index/rollup/collectionChanges.ts";
import { sumRollups } from "#plugins/market-index/rollup/sumRollups.ts";

/** Returns what changes by storing these rows and taking out those that are now confirmed. */
export function summarizeChange(
	known: ReadonlyMap<Address, KnownCollection>,
	{ stored, confirmed }: Pick<AppliedChange, "stored" | "confirmed">,
): AppliedChange {
	const ids = new Set<number>();
	for (const { collectionId } of stored) ids.add(collectionId);
	for (const { collectionId } of confirmed) ids.add(collectionId);
	const touched = new Map<number, KnownCollection>();
	for (const collection of known.values()) {
		if (ids.has(collection.id)) touched.set(collection.id, collection);
	}
	const [minutes, collections] = [sumRollups(stored), collectionChanges(stored)];
	return { stored, confirmed, minutes, collections, touched };
}
