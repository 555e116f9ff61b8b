import type { NewJob } from "#core/queue/JobQueue.ts";

export const FULL_SYNC_TASK = "market-index.full-sync";

/** For collections that are looked at; for all others. */
export const OPENED_PRIORITY = 1;
export const LISTED_PRIORITY = 5;
/** The next page of a first day: after all that have none yet. */
export const WALKED_PRIORITY = 6;

/** Returns a job for each collection, queued once however often it is asked for. */
export function syncJobs(collectionIds: readonly number[], priority: number): NewJob[] {
	return collectionIds.map((collectionId) => ({
		task: FULL_SYNC_TASK,
		payload: { collectionId },
		key: `${FULL_SYNC_TASK}:${collectionId}`,
		priority,
	}));
}
