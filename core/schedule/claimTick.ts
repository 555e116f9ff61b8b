import { Cron } from "croner";
import type { Database } from "#core/db/Database.ts";
import type { Job } from "#core/schedule/Job.ts";

/** Timers of one process jitter, so its own next tick may come this much early. */
const EARLY_SHARE = 0.1;

const CRON_EARLY_MS = 100;

/** A claim from further ahead than this was made by a broken clock, and does not count. */
const AHEAD_MAX_MS = 24 * 3_600_000;

/**
 * Claims this tick of a cluster job for this process; false where another was first. The row's own
 * lock decides, so no two processes run one tick however many there are.
 *
 * A cron tick is known by the time it was planned for, so a process that comes late to it claims
 * the same one. An interval's tick comes when nearly a whole distance has passed since the last,
 * since timers of different processes are not in step.
 */
export async function claimTick(
	db: Database,
	job: Pick<Job, "name" | "schedule">,
	nowMs: number,
): Promise<boolean> {
	const tick = tickOf(job.schedule, nowMs);
	const claimed = await db.execute(
		`insert into core.schedule_tick as last (name, tick_at) values ($1, $2)
		on conflict (name) do update set tick_at = excluded.tick_at
		where last.tick_at <= $3 or last.tick_at > $4`,
		[
			job.name,
			new Date(tick.atMs),
			new Date(tick.atMs - tick.distanceMs),
			new Date(nowMs + AHEAD_MAX_MS),
		],
	);
	return claimed === 1;
}

function tickOf(schedule: Job["schedule"], nowMs: number): { atMs: number; distanceMs: number } {
	if (!("cron" in schedule)) {
		return { atMs: nowMs, distanceMs: schedule.everyMs * (1 - EARLY_SHARE) };
	}
	const cron = new Cron(schedule.cron, { timezone: "UTC", paused: true });
	// The tick that is now counts as well, and so does a timer that fired a moment early.
	const [planned] = cron.previousRuns(1, new Date(nowMs + CRON_EARLY_MS));
	return { atMs: planned?.getTime() ?? nowMs, distanceMs: 1 };
}
