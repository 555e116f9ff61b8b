import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import { DAY_MS } from "#core/time/units.ts";
import { retentionJob } from "#plugins/market-index/retention/retentionJob.ts";

export type Retention = {
	/** Returns the time from which on events are kept. */
	keptFromMs(): number;
	jobs: readonly Job[];
};

/** Makes the retention of events: as the operator sets it, by default forever. */
export function createRetention(
	core: Pick<Core, "db" | "clock" | "log">,
	days: number | undefined,
): Retention {
	if (days === undefined) return { keptFromMs: () => Number.NEGATIVE_INFINITY, jobs: [] };
	const keptFromMs = () => core.clock.nowMs() - days * DAY_MS;
	return { keptFromMs, jobs: [retentionJob({ db: core.db, log: core.log, keptFromMs })] };
}
