// Queues syncs that routes, streams and lists ask for, and moves the state of a sync.

import type { Tx } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import type { NewJob } from "#core/queue.ts";
import { nextState, type StateTable } from "#core/states.ts";
import { supplyJobs } from "#plugins/market-index/metadata/metadataJobs.ts";
import type { TouchReason } from "#plugins/market-index/model.ts";
import type { SyncContext } from "#plugins/market-index/pace.ts";
import {
	DISCOVERY_EVERY_MS,
	RESYNC_EVERY_MS,
	TOUCH_EVERY_MS,
	TOUCHED_MAX,
	VIEW_EVERY_MS,
	WATCH_MS,
} from "#plugins/market-index/sync/bounds.ts";
import { lockSync, putInLine, renewParts } from "#plugins/market-index/sync/sql/syncs.ts";

/** The state of a collection's sync, as clients see it in `syncStatus`. */
export type SyncState = "queued" | "syncing" | "synced" | "failed";

/**
 * `queue`: it is wanted again. `start`: a worker has it. `resume`: a worker has what another one
 * left behind. `put_back`: not now, through no fault of its own.
 */
export type SyncEvent = "queue" | "start" | "resume" | "put_back" | "succeed" | "fail";

export type SyncRequests = {
	/**
	 * Records that a collection was opened: it is watched for five minutes and queued for a sync, at
	 * most once in 20 seconds. The caller need not wait for it; it never throws.
	 */
	touch(collectionId: number, reason: TouchReason): Promise<void>;
	/**
	 * Queues syncs of collections found in lists or by searches: each at most once in five minutes.
	 */
	discovered(collectionIds: readonly number[]): Promise<void>;
	/** Queues a repair at once; returns the status of the collection's sync. */
	resync(collectionId: number): Promise<string | null>;
};

type Requests = Pick<SyncContext, "provider"> & {
	core: Pick<SyncContext["core"], "db" | "clock" | "log" | "queue">;
};

/** State, event, next. A missing entry does not happen. */
export const syncStates: StateTable<SyncState, SyncEvent> = {
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

export const FULL_SYNC_TASK = "market-index.full-sync";

/** The priorities of collections that a client reads, and of all others. */
export const OPENED_PRIORITY = 1;
export const LISTED_PRIORITY = 5;
/** The priority of the next page of a first day: after all that have none yet. */
export const WALKED_PRIORITY = 6;

/** Makes the requests for syncs from outside: routes, streams, lists. */
export function createSyncRequests({ core, provider }: Requests): SyncRequests {
	const { db, clock, log, queue } = core;
	const touched = new Map<number, number>();
	return {
		async touch(collectionId, reason) {
			if (!provider.isOn || !isDue(collectionId)) return;
			try {
				await db.transaction(async (tx) => {
					const asked = { collectionIds: [collectionId], nowMs: clock.nowMs() };
					const ids = await putInLine(tx, { ...asked, everyMs: VIEW_EVERY_MS, watchMs: WATCH_MS });
					await renewParts(tx, ids);
					await queue.add(tx, syncJobs(ids, OPENED_PRIORITY));
				});
			} catch (error) {
				touched.delete(collectionId);
				log.warn("a collection is not watched", { collectionId, reason, error });
			}
		},
		async discovered(collectionIds) {
			if (!provider.isOn || collectionIds.length === 0) return;
			await db.transaction(async (tx) => {
				const asked = { collectionIds, nowMs: clock.nowMs(), watchMs: null };
				const ids = await putInLine(tx, { ...asked, everyMs: DISCOVERY_EVERY_MS });
				await queue.add(tx, syncJobs(ids, LISTED_PRIORITY));
			});
		},
		resync: (collectionId) =>
			db.transaction(async (tx) => {
				const row = await lockSync(tx, collectionId);
				if (!row) return null;
				// The contract's own data is repaired as well, with a provider or without.
				await queue.add(tx, supplyJobs([collectionId]));
				if (!provider.isOn) return row.status;
				const asked = { collectionIds: [collectionId], nowMs: clock.nowMs(), watchMs: null };
				const ids = await putInLine(tx, { ...asked, everyMs: RESYNC_EVERY_MS });
				if (ids.length === 0) return row.status;
				// A repair reads everything, also the parts that an earlier sync has left. It takes over
				// from a sync under way, whose answers may be older than the fault.
				await tx.execute(
					`update market_index.sync set parts = null, started_at = null
					where collection_id = $1`,
					[collectionId],
				);
				await queue.add(tx, syncJobs(ids, OPENED_PRIORITY));
				return moveSync(tx, log, { collectionId, event: "queue" });
			}),
	};

	/** Returns whether the database must be written, as this process has not just done so. */
	function isDue(collectionId: number): boolean {
		const nowMs = clock.nowMs();
		const lastMs = touched.get(collectionId);
		if (lastMs !== undefined && nowMs - lastMs < TOUCH_EVERY_MS) return false;
		// Inserted again at the end, so that the first is the one touched longest ago.
		touched.delete(collectionId);
		if (touched.size >= TOUCHED_MAX) touched.delete(touched.keys().next().value ?? collectionId);
		touched.set(collectionId, nowMs);
		return true;
	}
}

/**
 * Moves a collection's sync by an event, and locks the collection until the transaction ends. Null
 * where there is no such collection or no such transition: that is logged, and nothing changes.
 */
export async function moveSync(
	tx: Tx,
	log: Log,
	{ collectionId, event }: { collectionId: number; event: SyncEvent },
): Promise<SyncState | null> {
	const rows = await tx.query<{ status: SyncState }>(
		`select sync_status as status from market_index.collection where id = $1 for no key update`,
		[collectionId],
	);
	const status = rows[0]?.status;
	if (status === undefined) return null;
	const next = nextState(syncStates, status, event);
	if (next === null) {
		log.warn("a sync's transition was refused", { collectionId, status, event });
		return null;
	}
	if (next !== status) {
		await tx.execute("update market_index.collection set sync_status = $2 where id = $1", [
			collectionId,
			next,
		]);
	}
	return next;
}

/** Returns a job for each collection, queued once however often it is asked for. */
export function syncJobs(collectionIds: readonly number[], priority: number): NewJob[] {
	return collectionIds.map((collectionId) => ({
		task: FULL_SYNC_TASK,
		payload: { collectionId },
		key: `${FULL_SYNC_TASK}:${collectionId}`,
		priority,
	}));
}
