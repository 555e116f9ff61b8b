import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import {
	SNAPSHOT_PRUNE_EVERY_MS,
	SNAPSHOTS_PER_STATEMENT_MAX,
} from "#plugins/market-index/floor/limits.ts";
import { pruneSnapshots } from "#plugins/market-index/floor/sql/pruneSnapshots.ts";

/** Makes a job that thins out old floors, in statements of a few thousand rows. */
export function pruneSnapshotsJob({ db, clock }: Pick<Core, "db" | "clock">): Job {
	return {
		name: "market-index.prune-floors",
		schedule: { everyMs: SNAPSHOT_PRUNE_EVERY_MS },
		lock: "cluster",
		timeoutMs: 60_000,
		async run({ signal }) {
			while (!signal.aborted) {
				if ((await pruneSnapshots(db, clock.nowMs())) < SNAPSHOTS_PER_STATEMENT_MAX) return;
			}
		},
	};
}
