import type { Address } from "#core/chain/Hex.ts";
import type { KnownCollection } from "#plugins/market-index/event/KnownCollection.ts";

/**
 * Says whether collections are as they were known, in all that stored rows are made from. Names are
 * not part of it: most come just after a collection's first events.
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
