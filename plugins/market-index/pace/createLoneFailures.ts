import { LRUCache } from "lru-cache";
import { FAILING_KEPT_MAX } from "#plugins/market-index/pace/limits.ts";

/**
 * Counts failures of one collection while pages of others still arrive: then the collection is the
 * cause, and not an outage of the whole provider.
 */
export type LoneFailures = {
	/** A page of a collection came. */
	came(collectionId: number): void;
	/** One did not come; answers how many in a row did not while pages of others came. */
	failed(collectionId: number): number;
};

/**
 * A process looks at its own pages only: the rest that follows is in the database and holds for
 * all, so another process adds no more than tries of its own.
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
