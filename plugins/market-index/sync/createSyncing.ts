import type { QueueTask } from "#core/queue/QueueTask.ts";
import type { Job } from "#core/schedule/Job.ts";
import { pruneSnapshotsJob } from "#plugins/market-index/floor/pruneSnapshotsJob.ts";
import { applyOrderPush, type OrderPush } from "#plugins/market-index/orders/applyOrderPush.ts";
import { bookJob } from "#plugins/market-index/orders/bookJob.ts";
import { pruneOrdersJob } from "#plugins/market-index/orders/pruneOrdersJob.ts";
import { createPause } from "#plugins/market-index/sync/createPause.ts";
import {
	createSyncRequests,
	type SyncRequests,
} from "#plugins/market-index/sync/createSyncRequests.ts";
import { followJob } from "#plugins/market-index/sync/followJob.ts";
import { fullSyncJob } from "#plugins/market-index/sync/fullSyncJob.ts";
import { fullSyncTask } from "#plugins/market-index/sync/fullSyncTask.ts";
import { leanSyncJob } from "#plugins/market-index/sync/leanSyncJob.ts";
import { noteGap } from "#plugins/market-index/sync/noteGap.ts";
import type { SyncContext } from "#plugins/market-index/sync/SyncContext.ts";
import { supplyCatchUpJob } from "#plugins/market-index/sync/supplyCatchUpJob.ts";

export type Syncing = SyncRequests & {
	jobs: Job[];
	tasks: QueueTask[];
	/** A change of a book that the provider's stream told. */
	applyOrderPush(push: OrderPush): Promise<void>;
	/** Pushes may have been missed: what they would have told is asked for. */
	noteGap(gap: { slugs: readonly string[]; sinceMs: number }): Promise<void>;
};

/** Everything that keeps collections in step with the provider. */
export function createSyncing(options: Omit<SyncContext, "pause">): Syncing {
	const { core, provider } = options;
	const context = { ...options, pause: createPause(core.clock) };
	return {
		...createSyncRequests({ core, provider }),
		jobs: [
			fullSyncJob(context),
			leanSyncJob({ ...context, pause: createPause(core.clock) }),
			bookJob(context),
			followJob(context),
			pruneOrdersJob(context),
			pruneSnapshotsJob(core),
			supplyCatchUpJob(core),
		],
		tasks: [fullSyncTask(context)],
		applyOrderPush: (push) => applyOrderPush(context, push),
		noteGap: (gap) => noteGap(core.db, gap),
	};
}
