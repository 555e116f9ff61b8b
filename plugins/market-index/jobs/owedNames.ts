// Queues contracts that were never asked for their names, once the lanes are level.

import { z } from "zod";
import type { Core } from "#core/plugin/Core.ts";
import type { QueueTask } from "#core/queue.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import {
	COLLECTIONS_PER_JOB_MAX,
	collectionJobs,
	OWED_NAMES_TASK,
	OWED_REST_MIN_MS,
	owedNamesJob,
} from "#plugins/market-index/metadata/metadataJobs.ts";
import { owedNames } from "#plugins/market-index/sql/collectionNames.ts";

type OwedCore = Pick<Core, "db" | "queue" | "clock" | "indexed"> & {
	scanner: Pick<Scanner, "progress">;
};

/**
 * Names are owed while a lane is so many blocks behind its head: then 25 are read at a time,
 * followed by a rest of 19 times as long, at least a second (`OWED_REST_MIN_MS`) and at most five.
 */
export const LEVEL_BLOCKS = 64;
export const OWED_RESTS = 19;
export const OWED_REST_MAX_MS = 5_000;

/** Owed names that are queued at once where the lanes are level. */
export const OWED_PER_TURN_MAX = 1_000;

const payload = z.object({ chainId: z.int(), afterId: z.int() });

/** Sorts chains by whether their lanes are level. */
export async function byLevel(
	scanner: Pick<Scanner, "progress">,
	chainIds: readonly number[],
): Promise<{ level: number[]; behind: number[] }> {
	const said = await Promise.all(chainIds.map((chainId) => lanesAreLevel(scanner, chainId)));
	return {
		level: chainIds.filter((_, index) => said[index]),
		behind: chainIds.filter((_, index) => !said[index]),
	};
}

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

/**
 * Says whether a chain's lanes are near its head with nothing owed below: less urgent work waits
 * until then. A chain that no lane follows is level.
 */
export async function lanesAreLevel(
	scanner: Pick<Scanner, "progress">,
	chainId: number,
): Promise<boolean> {
	const lanes = await Promise.all([
		scanner.progress(chainId, "mint"),
		scanner.progress(chainId, "sale"),
	]);
	return lanes.every(({ headBlock, indexedBlock, owes = false }) => {
		if (headBlock === null || indexedBlock === null) return true;
		return !owes && headBlock - indexedBlock < LEVEL_BLOCKS;
	});
}
