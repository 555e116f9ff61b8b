import type { Job } from "#core/schedule/Job.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import {
	PAUSE_WAITED_OUT_MS,
	SYNC_EVERY_MS,
	SYNCS_PER_TICK_MAX,
	TRACKED_PER_TICK_MAX,
} from "#plugins/market-index/sync/limits.ts";
import { claimSyncs } from "#plugins/market-index/sync/sql/claimSyncs.ts";
import { trackCollections } from "#plugins/market-index/sync/sql/trackCollections.ts";
import { LISTED_PRIORITY, OPENED_PRIORITY, syncJobs } from "#plugins/market-index/sync/syncJobs.ts";

/**
 * Makes a job that queues the next collections each minute, failed ones too; none during a limit. A
 * limit that ends soon is waited for: otherwise the collections that it put back would wait for the
 * next tick.
 */
export function fullSyncJob({
	core,
	provider,
	pause,
	wait,
}: Pick<SyncContext, "core" | "provider" | "pause" | "wait">): Job {
	return {
		name: "market-index.full-sync",
		schedule: { everyMs: SYNC_EVERY_MS },
		lock: "cluster",
		timeoutMs: SYNC_EVERY_MS,
		async run({ signal }) {
			if (!provider.isOn) return;
			const leftMs = pause.leftMs();
			if (leftMs > 0 && leftMs <= PAUSE_WAITED_OUT_MS) await wait(leftMs, signal);
			if (signal.aborted || pause.leftMs() > 0) return;
			const chainIds = core.indexed.map(({ chain }) => chain.id);
			await trackCollections(core.db, { chainIds, limit: TRACKED_PER_TICK_MAX });
			await core.db.transaction(async (tx) => {
				const nowMs = core.clock.nowMs();
				const due = await claimSyncs(tx, { chainIds, nowMs, limit: SYNCS_PER_TICK_MAX });
				const idsOf = (isWatched: boolean) =>
					due.filter((one) => one.isWatched === isWatched).map(({ id }) => id);
				await core.queue.add(tx, [
					...syncJobs(idsOf(true), OPENED_PRIORITY),
					...syncJobs(idsOf(false), LISTED_PRIORITY),
				]);
			});
		},
	};
}
