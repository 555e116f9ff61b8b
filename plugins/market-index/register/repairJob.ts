// Queues first jobs again for collections whose metadata or tokens never arrived.

import type { Queryable } from "#core/db/Database.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { byLevel } from "#plugins/market-index/jobs/owedNames.ts";
import { owedNamesJob, repairJobs } from "#plugins/market-index/metadata/metadataJobs.ts";
import { learnTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";

/**
 * How often collections are looked for that lack metadata or tokens, how long after registration,
 * and how many of either are queued at once.
 */
const REPAIR_EVERY_MS = 600_000;
export const LACKING_AFTER_MS = 600_000;
const REPAIRED_PER_TICK_MAX = 2_000;

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

/**
 * Returns collections registered before a time whose first jobs never finished: `unread` were
 * never asked what their contract says, `unlearned` never had their tokens looked for. The first
 * few of each, by the index `collection_lacking`.
 *
 * Contracts of chains that are not indexed here cannot be asked; their tokens can be looked for.
 * Of those that are, only `level` ones are: the others' names are owed.
 */
async function lackingJobs(
	db: Queryable,
	query: { indexed: readonly number[]; level: readonly number[]; before: Date; limit: number },
): Promise<{ unread: number[]; unlearned: number[] }> {
	const { indexed, level, before, limit } = query;
	const [unread, unlearned] = await Promise.all([
		db.query<{ id: number }>(
			`select id from market_index.collection
			where metadata_at is null and chain_id = any($1::int8[])
				and not excluded and registered_at < $2
			order by id limit $3`,
			[level, before, limit],
		),
		db.query<{ id: number }>(
			`select id from market_index.collection
			where learned_at is null and (metadata_at is not null or chain_id <> all($1::int8[]))
				and not excluded and registered_at < $2
			order by id limit $3`,
			[indexed, before, limit],
		),
	]);
	const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);
	return { unread: idsOf(unread), unlearned: idsOf(unlearned) };
}
