import { LRUCache } from "lru-cache";
import type { Chain } from "#core/chain/Chain.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { SearchHit } from "#plugins/market-index/schemas/searchHitSchema.ts";
import { HIT_KEPT_MS, HITS_KEPT_MAX } from "#plugins/market-index/search/limits.ts";

/** Returns collections as hits, in the given order; deleted ones are left out. */
export type HitsOf = (
	chains: readonly Chain[],
	collectionIds: readonly number[],
) => Promise<SearchHit[]>;

/**
 * Makes a cache that keeps each hit for a second. While a user types, one query after the other
 * finds the same collections, and their figures are most of the cost of a search.
 */
export function createHitCache(
	clock: Clock,
	read: (chains: readonly Chain[], ids: readonly number[]) => Promise<Map<number, SearchHit>>,
): HitsOf {
	const kept = new LRUCache<number, { hit: SearchHit; readAtMs: number }>({ max: HITS_KEPT_MAX });
	return async (chains, collectionIds) => {
		const nowMs = clock.nowMs();
		const hits = new Map<number, SearchHit>();
		for (const id of collectionIds) {
			const known = kept.get(id);
			const ageMs = known ? nowMs - known.readAtMs : Number.NaN;
			if (known && ageMs >= 0 && ageMs < HIT_KEPT_MS) hits.set(id, known.hit);
		}
		const missing = collectionIds.filter((id) => !hits.has(id));
		if (missing.length > 0) {
			for (const [id, hit] of await read(chains, missing)) {
				hits.set(id, hit);
				kept.set(id, { hit, readAtMs: nowMs });
			}
		}
		return collectionIds.flatMap((id) => hits.get(id) ?? []);
	};
}
