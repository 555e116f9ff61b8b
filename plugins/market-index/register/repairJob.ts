import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { byLevel } from "#plugins/market-index/jobs/byLevel.ts";
import { owedNamesJob, repairJobs } from "#plugins/market-index/metadata/metadataJobs.ts";
import {
	LACKING_AFTER_MS,
	REPAIR_EVERY_MS,
	REPAIRED_PER_TICK_MAX,
} from "#plugins/market-index/register/limits.ts";
import { lackingJobs } from "#plugins/market-index/register/sql/lackingJobs.ts";
import { learnTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";

/**
 * Makes a job that queues first jobs of collections again that never finished: jobs that an older
 * release did not queue, and jobs that were given up while a node was away.
 */
export function repairJob({
	db,
	clock,
	queue,
	indexed,
	log,
	scanner,
}: Pick<Core, "db" | "clock" | "queue" | "indexed" | "log"> & {
	scanner: Pick<Scanner, "progress">;
}): Job {
	return {
		name: "market-index.repair",
		schedule: { everyMs: REPAIR_EVERY_MS },
		lock: "cluster",
		timeoutMs: REPAIR_EVERY_MS,
		async run() {
			const chainIds = indexed.map(({ chain }) => chain.id);
			const { level, behind } = await byLevel(scanner, chainIds);
			const { unread, unlearned } = await lackingJobs(db, {
				...{ indexed: chainIds, level },
				before: new Date(clock.nowMs() - LACKING_AFTER_MS),
				limit: REPAIRED_PER_TICK_MAX,
			});
			// A chain that owes names has this job queued already, unless it was given up.
			const owed = behind.map((chainId) => owedNamesJob(chainId));
			if (owed.length > 0) await db.transaction((tx) => queue.add(tx, owed));
			if (unread.length + unlearned.length === 0) return;
			log.info("collections lack what follows from their registration", {
				unread: unread.length,
				unlearned: unlearned.length,
			});
			const learning = unlearned.map((id) => learnTokensJob(id));
			await db.transaction((tx) => queue.add(tx, [...repairJobs(unread), ...learning]));
		},
	};
}
