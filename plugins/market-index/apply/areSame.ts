import type { Address } from "#core/chain/Hex.ts";
import type { KnownCollection } from "#plugins/market-index/sql/KnownCollection.ts";

/** Whether collections are as they were known: all that rows and frames are made with. */
export function areSame(
	found: readonly KnownCollection[],
	known: ReadonlyMap<Address, KnownCollection>,
): boolean {
	if (found.length !== known.size) return false;
	return found.every((now) => {
		const then = known.get(now.address);
		return (
			then !== undefined &&
			then.id === now.id &&
			then.excluded === now.excluded &&
			then.slug === now.slug &&
			then.name === now.name &&
			then.imageUrl === now.imageUrl
		);
	});
}
