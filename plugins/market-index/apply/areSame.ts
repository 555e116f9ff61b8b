import type { Address } from "#core/chain/Hex.ts";
import { areSameInRows } from "#plugins/market-index/apply/areSameInRows.ts";
import type { KnownCollection } from "#plugins/market-index/event/KnownCollection.ts";

/**
 * Says whether collections are as they were known, in all that rows and live frames are made from.
 */
export function areSame(
	found: readonly KnownCollection[],
	known: ReadonlyMap<Address, KnownCollection>,
): boolean {
	const isNamedSo = (now: KnownCollection) => {
		const then = known.get(now.address);
		return then?.slug === now.slug && then.name === now.name && then.imageUrl === now.imageUrl;
	};
	return areSameInRows(found, known) && found.every(isNamedSo);
}
