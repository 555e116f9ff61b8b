import type { Address } from "#core/chain/Hex.ts";
import type { AppliedChange } from "#plugins/market-index/apply/AppliedChange.ts";
import { collectionChanges } from "#plugins/market-index/apply/collectionChanges.ts";
import { sumRollups } from "#plugins/market-index/apply/sumRollups.ts";
import type { KnownCollection } from "#plugins/market-index/sql/KnownCollection.ts";

/** What it changed that these rows were stored, and those taken out. */
export function changeOf(
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
