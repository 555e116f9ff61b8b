import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { Job } from "#core/schedule/Job.ts";
import {
	GARBAGE_BUSY_MS,
	GARBAGE_EVERY_MS,
	GARBAGE_ROWS_MAX,
} from "#plugins/market-index/owners/limits.ts";
import { clearGarbage } from "#plugins/market-index/owners/sql/clearGarbage.ts";

/**
 * Makes a job that deletes owners which are not kept any more: in small parts, for a fraction of
 * the time.
 */
export function garbageJob({ db, clock }: { db: Database; clock: Clock }): Job {
	return {
		name: "market-index.owner-garbage",
		schedule: { everyMs: GARBAGE_EVERY_MS },
		lock: "cluster",
		timeoutMs: GARBAGE_EVERY_MS,
		async run({ signal }) {
			const endsAtMs = clock.nowMs() + GARBAGE_BUSY_MS;
			while (!signal.aborted && clock.nowMs() <= endsAtMs) {
				if (!(await clearGarbage(db, GARBAGE_ROWS_MAX))) return;
			}
		},
	};
}
