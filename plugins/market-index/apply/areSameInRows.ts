import type { Address } from "#core/chain/Hex.ts";
import type { KnownCollection } from "#plugins/market-index/event/KnownCollection.ts";

/**
 * Whether collections are as they were known, in what stored rows are made with. Names are not in
 * them: most come just after a collection's first events.
 */
export function areSameInRows(
	found: readonly KnownCollection[],
	known: ReadonlyMap<Address, KnownCollection>,
): boolean {
	if (found.length !== known.size) return false;
	return found.every((now) => {
		const then = known.get(now.address);
		return then !== undefined && then.id === now.id && then.excluded === now.excluded;
	});
}
