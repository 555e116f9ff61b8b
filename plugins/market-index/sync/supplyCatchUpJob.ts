import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { byLevel } from "#plugins/market-index/jobs/byLevel.ts";
import { supplyJobs } from "#plugins/market-index/metadata/metadataJobs.ts";
import {
	SUPPLIES_BEHIND_MAX,
	SUPPLIES_PER_TICK_MAX,
	SYNC_EVERY_MS,
} from "#plugins/market-index/sync/limits.ts";
import { behindSupplies } from "#plugins/market-index/sync/sql/behindSupplies.ts";

/**
 * Makes a job that has outdated supplies read again. Near the head every batch does that; mints of
 * a catch-up after a pause, or of a backfill, are found here: a few while lanes are behind, as with
 * names.
 */
export function supplyCatchUpJob({
	db,
	queue,
	indexed,
	scanner,
}: Pick<Core, "db" | "queue" | "indexed"> & { scanner: Pick<Scanner, "progress"> }): Job {
	return {
		name: "market-index.supply-catch-up",
		schedule: { everyMs: SYNC_EVERY_MS },
		lock: "cluster",
		timeoutMs: SYNC_EVERY_MS,
		async run() {
			const chains = await byLevel(
				scanner,
				indexed.map(({ chain }) => chain.id),
			);
			const found = await Promise.all([
				behindSupplies(db, { chainIds: chains.level, limit: SUPPLIES_PER_TICK_MAX }),
				behindSupplies(db, { chainIds: chains.behind, limit: SUPPLIES_BEHIND_MAX }),
			]);
			const ids = found.flat();
			if (ids.length > 0) await db.transaction((tx) => queue.add(tx, supplyJobs(ids)));
		},
	};
}
