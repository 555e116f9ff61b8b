import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import { supplyJobs } from "#plugins/market-index/jobs/metadataJobs.ts";
import { SUPPLIES_PER_TICK_MAX, SYNC_EVERY_MS } from "#plugins/market-index/sync/limits.ts";
import { behindSupplies } from "#plugins/market-index/sync/sql/behindSupplies.ts";

/**
 * Has supplies read again that mints have left behind. Near the head every batch does that; what is
 * caught up with after a pause, or filled in from the past, is found here.
 */
export function supplyCatchUpJob({
	db,
	queue,
	indexed,
}: Pick<Core, "db" | "queue" | "indexed">): Job {
	return {
		name: "market-index.supply-catch-up",
		schedule: { everyMs: SYNC_EVERY_MS },
		lock: "cluster",
		timeoutMs: SYNC_EVERY_MS,
		async run() {
			const chainIds = indexed.map(({ chain }) => chain.id);
			const ids = await behindSupplies(db, { chainIds, limit: SUPPLIES_PER_TICK_MAX });
			if (ids.length > 0) await db.transaction((tx) => queue.add(tx, supplyJobs(ids)));
		},
	};
}
