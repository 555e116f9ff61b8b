import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import {
	HISTORY_MS,
	PRUNE_EVERY_MS,
	PRUNE_TIMEOUT_MS,
	ROUNDS_PER_PRUNE_MAX,
} from "#plugins/prices/limits.ts";
import { pruneRounds } from "#plugins/prices/sql/pruneRounds.ts";

/** Makes a job that deletes rounds which no process keeps in memory any more. */
export function pruneRoundsJob({ db, clock }: Pick<Core, "db" | "clock">): Job {
	return {
		name: "prices.prune",
		schedule: { everyMs: PRUNE_EVERY_MS },
		lock: "cluster",
		timeoutMs: PRUNE_TIMEOUT_MS,
		async run({ signal }) {
			const before = new Date(clock.nowMs() - HISTORY_MS);
			while (!signal.aborted) {
				if ((await pruneRounds(db, before)) < ROUNDS_PER_PRUNE_MAX) return;
			}
		},
	};
}
