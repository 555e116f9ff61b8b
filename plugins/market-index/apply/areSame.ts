import type { Address } from "#core/chain/Hex.ts";
import type { KnownCollection } from "#plugins/market-index/sql/KnownCollection.ts";

type Known = ReadonlyMap<Address, KnownCollection>;

/** Whether collections are as they were known: all that rows and live frames are made with. */
export function areSame(found: readonly KnownCollection[], known: Known): boolean {
	const isNamedSo = (now: KnownCollection) => {
		const then = known.get(now.address);
		return then?.slug === now.slug && then.name === now.name && then.imageUrl === now.imageUrl;
	};
	return countTheSame(found, known) && found.every(isNamedSo);
}

/** Whether they are in what rows are made with; names mostly come just after the first events. */
export function countTheSame(found: readonly KnownCollection[], known: Known): boolean {
	if (found.length !== known.size) return false;
	return found.every((now) => {
		const then = known.get(now.address);
		return then !== undefined && then.id === now.id && then.excluded === now.excluded;
	});
}
