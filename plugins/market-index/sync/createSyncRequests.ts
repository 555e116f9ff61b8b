import type { TouchReason } from "#plugins/market-index/contract.ts";
import { supplyJobs } from "#plugins/market-index/metadata/metadataJobs.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import {
	DISCOVERY_EVERY_MS,
	RESYNC_EVERY_MS,
	TOUCH_EVERY_MS,
	TOUCHED_MAX,
	VIEW_EVERY_MS,
	WATCH_MS,
} from "#plugins/market-index/sync/limits.ts";
import { moveSync } from "#plugins/market-index/sync/moveSync.ts";
import { lockSync } from "#plugins/market-index/sync/sql/lockSync.ts";
import { putInLine } from "#plugins/market-index/sync/sql/putInLine.ts";
import { renewParts } from "#plugins/market-index/sync/sql/renewParts.ts";
import { LISTED_PRIORITY, OPENED_PRIORITY, syncJobs } from "#plugins/market-index/sync/syncJobs.ts";

export type SyncRequests = {
	/**
	 * Records that a collection was opened: it is watched for five minutes and queued for a sync, at
	 * most once in 20 seconds. The caller need not wait for it; it never throws.
	 */
	touch(collectionId: number, reason: TouchReason): Promise<void>;
	/**
	 * Queues syncs of collections that lists or a search showed: each at most once in five minutes.
	 */
	discovered(collectionIds: readonly number[]): Promise<void>;
	/** Queues a repair at once; returns the status of the collection's sync. */
	resync(collectionId: number): Promise<string | null>;
};

type Requests = Pick<SyncContext, "provider"> & {
	core: Pick<SyncContext["core"], "db" | "clock" | "log" | "queue">;
};

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

	/** Says whether the database must be told, as this process has not just done so. */
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
