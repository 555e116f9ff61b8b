import type { QueueTask } from "#core/queue/QueueTask.ts";
import type { Job } from "#core/schedule/Job.ts";
import { sleep } from "#core/time/sleep.ts";
import { pruneSnapshotsJob } from "#plugins/market-index/floor/pruneSnapshotsJob.ts";
import { applyOrderPushes } from "#plugins/market-index/orders/applyOrderPushes.ts";
import { bookJob } from "#plugins/market-index/orders/bookJob.ts";
import type { OrderPush } from "#plugins/market-index/orders/OrderPush.ts";
import { pruneOrdersJob } from "#plugins/market-index/orders/pruneOrdersJob.ts";
import { createLoneFailures } from "#plugins/market-index/pace/createLoneFailures.ts";
import { createPause } from "#plugins/market-index/pace/createPause.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import {
	createSyncRequests,
	type SyncRequests,
} from "#plugins/market-index/sync/createSyncRequests.ts";
import { followJob } from "#plugins/market-index/sync/followJob.ts";
import { fullSyncJob } from "#plugins/market-index/sync/fullSyncJob.ts";
import { fullSyncTask } from "#plugins/market-index/sync/fullSyncTask.ts";
import { leanSyncJob } from "#plugins/market-index/sync/leanSyncJob.ts";
import { noteGap } from "#plugins/market-index/sync/noteGap.ts";

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
