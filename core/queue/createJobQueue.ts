import type { Tx } from "#core/db/Database.ts";
import type { JobQueue, NewJob } from "#core/queue/JobQueue.ts";

const ATTEMPTS_DEFAULT = 12;

/** Puts jobs into graphile-worker's tables, inside the caller's transaction. */
export function createJobQueue(): JobQueue {
	return { add: addJobs };
}

async function addJobs(tx: Tx, jobs: readonly NewJob[]): Promise<void> {
	if (jobs.length === 0) return;
	await tx.execute(
		`select graphile_worker.add_job(
			task, payload => payload, run_at => now() + delay_ms * interval '1 millisecond',
			max_attempts => $6, job_key => key, priority => priority
		)
		from unnest($1::text[], $2::json[], $3::text[], $4::int4[], $5::int4[])
			as given (task, payload, key, priority, delay_ms)`,
		[
			jobs.map((job) => job.task),
			jobs.map((job) => JSON.stringify(job.payload)),
			jobs.map((job) => job.key),
			jobs.map((job) => job.priority ?? 0),
			jobs.map((job) => job.delayMs ?? 0),
			ATTEMPTS_DEFAULT,
		],
	);
}
