/** The state of a collection's sync, as clients see it in `syncStatus`. */
export type SyncState = "queued" | "syncing" | "synced" | "failed";

/**
 * `queue`: it is wanted again. `start`: a worker has it. `resume`: a worker has what another one
 * left behind. `put_back`: not now, through no fault of its own.
 */
export type SyncEvent = "queue" | "start" | "resume" | "put_back" | "succeed" | "fail";

/** State, event, next. A missing entry does not happen. */
export const syncStates: Readonly<
	Record<SyncState, Readonly<Partial<Record<SyncEvent, SyncState>>>>
> = {
	queued: { queue: "queued", start: "syncing" },
	syncing: {
		queue: "syncing",
		resume: "syncing",
		put_back: "queued",
		succeed: "synced",
		fail: "failed",
	},
	synced: { queue: "queued", start: "syncing" },
	failed: { queue: "queued", start: "syncing" },
};
