import type { QueueTask } from "#core/queue.ts";
import type { Job } from "#core/schedule.ts";
import { sleep } from "#core/time.ts";
import { pruneSnapshotsJob } from "#plugins/market-index/floor.ts";
import { bookJob, pruneOrdersJob } from "#plugins/market-index/orders/bookJob.ts";
import type { OrderPush } from "#plugins/market-index/orders/OrderRow.ts";
import { applyOrderPushes } from "#plugins/market-index/orders/pushes.ts";
import { createLoneFailures, createPause, type SyncContext } from "#plugins/market-index/pace.ts";
import { fullSyncJob, fullSyncTask } from "#plugins/market-index/sync/fullSync.ts";
import { followJob, leanSyncJob } from "#plugins/market-index/sync/leanSync.ts";
import { createSyncRequests, type SyncRequests } from "#plugins/market-index/sync/requests.ts";
import { noteGap } from "#plugins/market-index/sync/sql/syncs.ts";

export type Syncing = SyncRequests & {
	jobs: Job[];
	tasks: QueueTask[];
	/** Stores changes of order books from the provider's stream. */
	applyOrderPushes(pushes: readonly OrderPush[]): Promise<void>;
	/** Handles possibly missed pushes: their content is read over HTTP. */
	noteGap(gap: { slugs: readonly string[]; sinceMs: number }): Promise<void>;
};

/** Makes everything that keeps collections in step with the provider. */
export function createSyncing(
	options: Omit<SyncContext, "pause" | "loneFailures" | "wait"> &
		Partial<Pick<SyncContext, "wait">>,
): Syncing {
	const { core, provider } = options;
	const own = { pause: createPause(core.clock), loneFailures: createLoneFailures() };
	const context = { wait: sleep, ...options, ...own };
	return {
		...createSyncRequests({ core, provider }),
		jobs: [
			fullSyncJob(context),
			leanSyncJob({ ...context, pause: createPause(core.clock) }),
			bookJob(context),
			followJob(context),
			pruneOrdersJob(context),
			pruneSnapshotsJob(core),
		],
		tasks: [fullSyncTask(context)],
		applyOrderPushes: (pushes) => applyOrderPushes(context, pushes),
		noteGap: (gap) => noteGap(core.db, gap),
	};
}
