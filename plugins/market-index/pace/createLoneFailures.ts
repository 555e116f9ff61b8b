import { LRUCache } from "lru-cache";
import { FAILING_KEPT_MAX } from "#plugins/market-index/pace/limits.ts";

/**
 * Counts failures of one collection while pages of others still arrive: then the collection is the
 * cause, and not an outage of the whole provider.
 */
export type LoneFailures = {
	/** Records that a page of a collection arrived. */
	came(collectionId: number): void;
	/** Records that one did not; returns how many in a row did not while pages of others arrived. */
	failed(collectionId: number): number;
};

/**
 * Makes the counter. A process counts its own pages only: the resulting pause is in the database
 * and holds for all, so another process adds only its own attempts.
 */
export function createLoneFailures(): LoneFailures {
	const failing = new LRUCache<number, { times: number; cameBefore: number }>({
		max: FAILING_KEPT_MAX,
	});
	let pages = 0;
	return {
		came(collectionId) {
			pages++;
			failing.delete(collectionId);
		},
		failed(collectionId) {
			const last = failing.get(collectionId);
			const isAlone = last !== undefined && pages > last.cameBefore;
			const times = (last?.times ?? 0) + (isAlone ? 1 : 0);
			failing.set(collectionId, { times, cameBefore: pages });
			return times;
		},
	};
}
