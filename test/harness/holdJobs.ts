import type { Job } from "#core/schedule/Job.ts";

const heldRuns = new WeakMap<Job, Job["run"]>();

/** Stops jobs of these names from running on schedule; `runHeld` still runs them. */
export function holdJobs(jobs: readonly Job[], names: readonly string[]): void {
	for (const job of jobs) {
		if (!names.includes(job.name)) continue;
		heldRuns.set(job, job.run.bind(job));
		job.run = async () => {};
	}
}

/** Runs a job once, now, held or not. */
export async function runHeld(job: Job): Promise<void> {
	const run = heldRuns.get(job) ?? job.run.bind(job);
	await run({ signal: AbortSignal.timeout(job.timeoutMs) });
}
