import type { Database } from "#core/db/Database.ts";
import type { Job } from "#core/schedule/Job.ts";

/** Cron ticks of several processes differ by their clocks; ticks closer than this are the same. */
const CRON_TICK_MS = 1_000;

/**
 * Claims this tick of a cluster job for this process; false where another was first. The row's own
 * lock decides, so no two processes run one tick however many there are.
 */
export async function claimTick(
	db: Database,
	job: Pick<Job, "name" | "schedule">,
	nowMs: number,
): Promise<boolean> {
	const distanceMs = "cron" in job.schedule ? CRON_TICK_MS : job.schedule.everyMs;
	// Half a distance of slack: timers of different processes are not in step.
	const claimed = await db.execute(
		`insert into core.schedule_tick as last (name, tick_at) values ($1, $2)
		on conflict (name) do update set tick_at = excluded.tick_at
		where last.tick_at <= excluded.tick_at - $3 * interval '1 millisecond'`,
		[job.name, new Date(nowMs), distanceMs / 2],
	);
	return claimed === 1;
}
