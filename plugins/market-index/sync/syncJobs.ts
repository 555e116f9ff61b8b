import type { NewJob } from "#core/queue/JobQueue.ts";

export const FULL_SYNC_TASK = "market-index.full-sync";

/** Somebody looks at it; everything else. */
export const OPENED_PRIORITY = 1;
export const LISTED_PRIORITY = 5;
/** The next page of a first day: behind everybody who has none yet. */
export const WALKED_PRIORITY = 6;

/** A job for each collection, once in line however often it is asked for. */
export function syncJobs(collectionIds: readonly number[], priority: number): NewJob[] {
	return collectionIds.map((collectionId) => ({
		task: FULL_SYNC_TASK,
		payload: { collectionId },
		key: `${FULL_SYNC_TASK}:${collectionId}`,
		priority,
	}));
}
