import type { Address } from "#core/chain/Hex.ts";
import { COLLECTIONS_REMEMBERED_MAX } from "#plugins/market-index/apply/limits.ts";
import type { KnownCollection } from "#plugins/market-index/event/KnownCollection.ts";

/** Collections as last seen: a guess, which the caller must verify. */
export type CollectionMemory = {
	/** Returns these contracts' collections; null where one of them is not remembered. */
	recall(
		chainId: number,
		contracts: Iterable<Address>,
	): ReadonlyMap<Address, KnownCollection> | null;
	keep(chainId: number, met: ReadonlyMap<Address, KnownCollection>): void;
};

/** Makes the memory. When it is full it starts empty: traded collections soon come back. */
export function createCollectionMemory(): CollectionMemory {
	const byPlace = new Map<string, KnownCollection>();
	const placeOf = (chainId: number, address: Address) => `${chainId}:${address}`;
	return {
		recall(chainId, contracts) {
			const known = new Map<Address, KnownCollection>();
			for (const address of contracts) {
				const collection = byPlace.get(placeOf(chainId, address));
				if (!collection) return null;
				known.set(address, collection);
			}
			return known;
		},
		keep(chainId, met) {
			if (byPlace.size + met.size > COLLECTIONS_REMEMBERED_MAX) byPlace.clear();
			if (met.size > COLLECTIONS_REMEMBERED_MAX) return;
			for (const [address, collection] of met) {
				byPlace.set(placeOf(chainId, address), { ...collection, isNew: false });
			}
		},
	};
}
