import { z } from "zod";
import type { Core } from "#core/plugin/Core.ts";
import type { QueueTask } from "#core/queue/QueueTask.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import { lanesAreLevel } from "#plugins/market-index/jobs/lanesAreLevel.ts";
import {
	OWED_PER_TURN_MAX,
	OWED_REST_MAX_MS,
	OWED_RESTS,
} from "#plugins/market-index/jobs/limits.ts";
import {
	COLLECTIONS_PER_JOB_MAX,
	OWED_REST_MIN_MS,
} from "#plugins/market-index/metadata/limits.ts";
import {
	collectionJobs,
	OWED_NAMES_TASK,
	owedNamesJob,
} from "#plugins/market-index/metadata/metadataJobs.ts";
import { owedNames } from "#plugins/market-index/sql/owedNames.ts";

const payload = z.object({ chainId: z.int(), afterId: z.int() });

type OwedCore = Pick<Core, "db" | "queue" | "clock" | "indexed"> & {
	scanner: Pick<Scanner, "progress">;
};

/**
 * Makes the task that asks the contracts which lanes met while they were behind. Once they are
 * level, all at once; until then a few at a time, with rests of 19 times as long, so that names
 * take a twentieth of the time and even a chain that stays behind gets them.
 *
 * Owed are the collections that were never read. So one job for a chain covers all, and a lost one
 * loses nothing.
 */
export function owedNamesTask(
	core: OwedCore,
	read: (given: { collectionIds: number[] }, options: { signal: AbortSignal }) => Promise<void>,
): QueueTask<typeof payload> {
	const { db, queue, clock, indexed, scanner } = core;
	return {
		name: OWED_NAMES_TASK,
		payload,
		attemptsMax: 12,
		timeoutMs: 30_000,
		async run({ chainId, afterId }, { signal }) {
			// Taken out of CHAINS: the repair job finds them when it is back.
			if (!indexed.some(({ chain }) => chain.id === chainId)) return;
			const isLevel = await lanesAreLevel(scanner, chainId);
			const limit = isLevel ? OWED_PER_TURN_MAX : COLLECTIONS_PER_JOB_MAX;
			const ids = await owedNames(db, { chainId, afterId: isLevel ? afterId : 0, limit });
			const last = ids.at(-1);
			if (last === undefined) return;
			if (isLevel) {
				const jobs = collectionJobs(ids.map((id) => ({ id })));
				// Those are not read yet: the next turn continues after them.
				const more =
					ids.length < limit ? [] : [owedNamesJob(chainId, { afterId: last, delayMs: 0 })];
				await db.transaction((tx) => queue.add(tx, [...jobs, ...more]));
				return;
			}
			const beganMs = clock.nowMs();
			await read({ collectionIds: ids }, { signal });
			const restMs = (clock.nowMs() - beganMs) * OWED_RESTS;
			const delayMs = Math.min(Math.max(restMs, OWED_REST_MIN_MS), OWED_REST_MAX_MS);
			await db.transaction((tx) => queue.add(tx, [owedNamesJob(chainId, { delayMs })]));
		},
	};
}
