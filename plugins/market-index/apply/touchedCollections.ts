import type { Address } from "#core/chain/Hex.ts";
import type { KnownCollection } from "#plugins/market-index/sql/findCollections.ts";

/** The collections that stored or confirmed events belong to, by id. */
export function touchedCollections(
	known: ReadonlyMap<Address, KnownCollection>,
	...changed: readonly (readonly { collectionId: number }[])[]
): Map<number, KnownCollection> {
	const ids = new Set<number>();
	for (const events of changed) for (const { collectionId } of events) ids.add(collectionId);
	const touched = new Map<number, KnownCollection>();
	for (const collection of known.values()) {
		if (ids.has(collection.id)) touched.set(collection.id, collection);
	}
	return touched;
}
