import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import { DAY_MS } from "#core/time/units.ts";
import { retentionJob } from "#plugins/market-index/retention/retentionJob.ts";

export type Retention = {
	/** Events from before this are not kept. */
	keptFromMs(): number;
	jobs: readonly Job[];
};

/** For how long events are kept: as the operator says, else for ever. */
export function createRetention(
	core: Pick<Core, "db" | "clock" | "log">,
	days: number | undefined,
): Retention {
	if (days === undefined) return { keptFromMs: () => Number.NEGATIVE_INFINITY, jobs: [] };
	const keptFromMs = () => core.clock.nowMs() - days * DAY_MS;
	return { keptFromMs, jobs: [retentionJob({ db: core.db, log: core.log, keptFromMs })] };
}
