import type { Tx } from "#core/db/Database.ts";
import type { JobQueue, NewJob } from "#core/queue/JobQueue.ts";

/** More than any task's `attemptsMax`: the worker knows that number and gives up by it. */
export const JOB_ATTEMPTS_MAX = 25;

/** Puts jobs into graphile-worker's tables, inside the caller's transaction. */
export function createJobQueue(): JobQueue {
	return { add: addJobs };
}

async function addJobs(tx: Tx, jobs: readonly NewJob[]): Promise<void> {
	if (jobs.length === 0) return;
	// By key, so that transactions which queue the same things wait and do not deadlock.
	const sorted = [...jobs].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
	await tx.execute(
		`select graphile_worker.add_job(
			task, payload => payload, run_at => now() + delay_ms * interval '1 millisecond',
			max_attempts => $6, job_key => key, priority => priority,
			job_key_mode => case when keeps_time then 'preserve_run_at' else 'replace' end
		)
		from unnest($1::text[], $2::json[], $3::text[], $4::int4[], $5::int4[], $7::boolean[])
			as given (task, payload, key, priority, delay_ms, keeps_time)`,
		[
			sorted.map((job) => job.task),
			sorted.map((job) => JSON.stringify(job.payload)),
			sorted.map((job) => job.key),
			sorted.map((job) => job.priority ?? 0),
			sorted.map((job) => job.delayMs ?? 0),
			JOB_ATTEMPTS_MAX,
			sorted.map((job) => job.keepsTime ?? false),
		],
	);
}
